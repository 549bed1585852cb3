//! Files in the broker's object store, by their hashes.

use async_nats::jetstream::context::CreateObjectStoreError;
use async_nats::jetstream::object_store::{Config, ObjectStore};
use tokio::io::AsyncReadExt;

use super::{Broker, BrokerError};
use crate::blobs::{BlobError, BlobStore, blob_for, check_blob, verified};
use crate::message::Blob;

const BUCKET: &str = "sandboard-files";

/// The store of files at the broker.
pub(super) struct ObjectStoreFiles {
    broker: Broker,
    store: ObjectStore,
    location: String,
}

impl ObjectStoreFiles {
    /// Opens the object store of the broker and creates it if it is missing.
    pub(super) fn open(broker: &Broker) -> Result<Self, BrokerError> {
        let store = broker.wait(open_store(broker));
        let store = store.map_err(broker.failed("create an object store"))?;
        let location = format!("the files of the broker {}", broker.url);
        Ok(Self { broker: broker.clone(), store, location })
    }

    fn failed(&self, error: &dyn std::fmt::Display) -> BlobError {
        BlobError::Location { location: self.location.clone(), reason: error.to_string() }
    }

    /// Removes a file that is no longer needed.
    pub(super) fn remove(&self, blob: &Blob) {
        if let Err(error) = self.broker.wait(self.store.delete(&blob.sha256)) {
            log::info!("{}: cannot remove {}: {error}", self.location, blob.sha256);
        }
    }
}

async fn open_store(broker: &Broker) -> Result<ObjectStore, CreateObjectStoreError> {
    match broker.context.get_object_store(BUCKET).await {
        Ok(store) => Ok(store),
        Err(_) => {
            let config = Config { bucket: BUCKET.into(), num_replicas: 1, ..Config::default() };
            broker.context.create_object_store(config).await
        }
    }
}

impl BlobStore for ObjectStoreFiles {
    fn put(&self, bytes: &[u8]) -> Result<Blob, BlobError> {
        let blob = blob_for(bytes);
        check_blob(&blob)?;
        self.broker.wait(async {
            // The broker may have lost the store since it was opened.
            open_store(&self.broker).await.map_err(|error| self.failed(&error))?;
            let info = self.store.info(&blob.sha256).await;
            if info.is_ok_and(|it| !it.deleted && it.size as u64 == blob.bytes) {
                return Ok(());
            }
            let mut reader = bytes;
            let put = self.store.put(blob.sha256.as_str(), &mut reader).await;
            put.map(drop).map_err(|error| self.failed(&error))
        })?;
        Ok(blob)
    }

    fn get(&self, blob: &Blob) -> Result<Vec<u8>, BlobError> {
        check_blob(blob)?;
        let missing =
            || BlobError::Missing { sha256: blob.sha256.clone(), location: self.location.clone() };
        let bytes = self.broker.wait(async {
            let object = self.store.get(&blob.sha256).await.map_err(|error| {
                log::info!("{}: {}: {error}", self.location, blob.sha256);
                missing()
            })?;
            let mut bytes = Vec::new();
            // Reads at most one byte more than announced.
            let mut bounded = object.take(blob.bytes.saturating_add(1));
            let read = bounded.read_to_end(&mut bytes).await;
            read.map_err(|error| self.failed(&error))?;
            Ok::<_, BlobError>(bytes)
        })?;
        verified(bytes, blob, &self.location)
    }
}
