//! Files in the broker's object store, by their hashes.

use async_nats::jetstream::context::CreateObjectStoreError;
use async_nats::jetstream::object_store::{Config, ObjectStore};
use tokio::io::AsyncReadExt;

use super::{Broker, BrokerError};
use crate::queue::blobs::{BlobError, BlobStore, check_name, checked, named};
use crate::queue::message::Blob;

const BUCKET: &str = "sandboard-files";

/// Files that lie at the broker.
pub struct Files {
    broker: Broker,
    store: ObjectStore,
    place: String,
}

impl Files {
    /// Those of this broker; the store is made where it is not there.
    pub fn open(broker: &Broker) -> Result<Self, BrokerError> {
        let store = broker.wait(opened(broker));
        let store = store.map_err(broker.failed("make an object store"))?;
        let place = format!("the files of the broker {}", broker.url);
        Ok(Self { broker: broker.clone(), store, place })
    }

    fn failed(&self, error: &dyn std::fmt::Display) -> BlobError {
        BlobError::Place { place: self.place.clone(), reason: error.to_string() }
    }

    /// A file is wanted by nobody any more.
    pub fn remove(&self, blob: &Blob) {
        if let Err(error) = self.broker.wait(self.store.delete(&blob.sha256)) {
            log::info!("{}: {} is not removed: {error}", self.place, blob.sha256);
        }
    }
}

async fn opened(broker: &Broker) -> Result<ObjectStore, CreateObjectStoreError> {
    match broker.context.get_object_store(BUCKET).await {
        Ok(store) => Ok(store),
        Err(_) => {
            let config = Config { bucket: BUCKET.into(), num_replicas: 1, ..Config::default() };
            broker.context.create_object_store(config).await
        }
    }
}

impl BlobStore for Files {
    fn put(&self, bytes: &[u8]) -> Result<Blob, BlobError> {
        let blob = named(bytes);
        check_name(&blob)?;
        self.broker.wait(async {
            // The broker may have lost the store since it was opened; it is found by its name.
            opened(&self.broker).await.map_err(|error| self.failed(&error))?;
            let there = self.store.info(&blob.sha256).await;
            if there.is_ok_and(|it| !it.deleted && it.size as u64 == blob.bytes) {
                return Ok(());
            }
            let mut reader = bytes;
            let put = self.store.put(blob.sha256.as_str(), &mut reader).await;
            put.map(drop).map_err(|error| self.failed(&error))
        })?;
        Ok(blob)
    }

    fn get(&self, blob: &Blob) -> Result<Vec<u8>, BlobError> {
        check_name(blob)?;
        let missing =
            || BlobError::Missing { sha256: blob.sha256.clone(), place: self.place.clone() };
        let bytes = self.broker.wait(async {
            let object = self.store.get(&blob.sha256).await.map_err(|error| {
                log::info!("{}: {}: {error}", self.place, blob.sha256);
                missing()
            })?;
            let mut bytes = Vec::new();
            // What is longer than it says is not read to its end.
            let mut bounded = object.take(blob.bytes.saturating_add(1));
            let read = bounded.read_to_end(&mut bytes).await;
            read.map_err(|error| self.failed(&error))?;
            Ok::<_, BlobError>(bytes)
        })?;
        checked(bytes, blob, &self.place)
    }
}
