//! The conformance suite of contest stores, for every database.

use super::*;

/// Runs the suite in an empty store.
pub(super) async fn conforms(store: &dyn Store) {
    is_founded_once(store).await;
    knows_entrants_by_their_tokens(store).await;
    keeps_entries(store).await;
    keeps_trials(store).await;
    keeps_audit_log_and_properties(store).await;
    keeps_all_or_none(store).await;
    registers_by_invitation(store).await;
}

async fn is_founded_once(store: &dyn Store) {
    assert_eq!(store.founding().await.unwrap(), None);
    let founding = Founding {
        file: "name = \"Autumn\"".into(),
        openings: Some(b"h8".to_vec()),
        seed: [7; SEED_BYTES],
        organiser: "0a".into(),
        founded_ms: 1,
    };
    store.found(&founding).await.unwrap();
    assert!(store.found(&Founding { founded_ms: 2, ..founding.clone() }).await.is_err());
    assert_eq!(store.founding().await.unwrap(), Some(founding));
}

fn entrant(name: &str, token: &str) -> Entrant {
    let (name, token) = (name.to_owned(), token.to_owned());
    Entrant { name, token, status: Status::In, reason: String::new(), since_ms: 5 }
}

async fn knows_entrants_by_their_tokens(store: &dyn Store) {
    for (name, token) in [("zoë", "t1"), ("Ann", "t2"), ("bob", "t3")] {
        store.commit(&[Write::Entrant(entrant(name, token))]).await.unwrap();
    }
    let names = async || {
        let all = store.entrants().await.unwrap();
        all.into_iter().map(|it| it.name).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names().await, "Ann bob zoë");
    let of = async |token| store.entrant_of(token).await.unwrap().map(|it| it.name);
    assert_eq!(of("t1").await.as_deref(), Some("zoë"));
    assert_eq!((of("t").await, of("").await), (None, None));
    // A new token replaces the old one; a status is stored with its reason; the admission time
    // stays.
    let status = Status::Disqualified;
    let changed =
        Entrant { token: "t4".into(), status, reason: "two names".into(), ..entrant("bob", "") };
    let written = Entrant { since_ms: 99, ..changed.clone() };
    store.commit(&[Write::Entrant(written)]).await.unwrap();
    assert_eq!(of("t3").await, None);
    assert_eq!(store.entrant_of("t4").await.unwrap(), Some(changed));
    // No two entrants share a token.
    assert!(store.commit(&[Write::Entrant(entrant("eve", "t1"))]).await.is_err());
    assert_eq!(names().await, "Ann bob zoë");
}

async fn keeps_entries(store: &dyn Store) {
    let any = (10, 0);
    assert_eq!(store.submit("Ann", b"one", 100, any).await.unwrap(), Some(1));
    assert_eq!(store.submit("bob", b"one", 101, any).await.unwrap(), Some(2));
    assert_eq!(store.submit("Ann", b"two", 102, any).await.unwrap(), Some(3));
    assert!(store.submit("nobody", b"one", 103, any).await.is_err());
    // The entrant submitted two entries since 100, one since 101.
    assert_eq!(store.submit("Ann", b"three", 104, (2, 100)).await.unwrap(), None);
    assert_eq!(store.submit("Ann", b"three", 104, (2, 101)).await.unwrap(), Some(4));
    let numbers = async |of: Option<&str>| -> Vec<i64> {
        store.entries(of).await.unwrap().iter().map(|it| it.number).collect()
    };
    assert_eq!(numbers(None).await, [1, 2, 3, 4]);
    assert_eq!(numbers(Some("Ann")).await, [1, 3, 4]);
    assert_eq!(numbers(Some("zoë")).await, [0_i64; 0]);
    for (of, bytes) in [(None, 3 + 3 + 3 + 5), (Some("Ann"), 3 + 3 + 5), (Some("zoë"), 0)] {
        assert_eq!(store.stored_bytes(of).await.unwrap(), bytes, "{of:?}");
    }
    let one = store.entry(2).await.unwrap().unwrap();
    // `printf one | sha256sum`.
    let sha256 = "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed";
    let waits = Submission {
        number: 2,
        entrant: "bob".into(),
        sha256: sha256.into(),
        bytes: 3,
        submitted_ms: 101,
        state: State::Waiting,
        report: None,
        fingerprint: None,
        judged_ms: None,
    };
    assert_eq!(one, waits);
    assert_eq!(store.module(sha256).await.unwrap().as_deref(), Some(&b"one"[..]));
    assert_eq!(store.module("00").await.unwrap(), None);
    assert_eq!(store.entry(9).await.unwrap(), None);
    let compared = async |most| {
        let found = store.fingerprints(most).await.unwrap();
        found.iter().map(|(number, print)| format!("{number} {print}")).collect::<Vec<_>>()
    };
    assert!(compared(9).await.is_empty());
    for state in
        [State::Accepted, State::Retrying, State::Refused, State::Undecided, State::Waiting]
    {
        let (report, fingerprint) = (Some("{}".to_owned()), Some("[1]".to_owned()));
        let judged = Submission { state, report, fingerprint, judged_ms: Some(7), ..waits.clone() };
        store
            .commit(&[Write::EntryTested {
                number: 2,
                state,
                report: judged.report.clone(),
                fingerprint: judged.fingerprint.clone(),
                at_ms: 7,
            }])
            .await
            .unwrap();
        assert_eq!(store.entry(2).await.unwrap(), Some(judged.clone()));
        let listed = Submission { report: None, fingerprint: None, ..judged };
        assert_eq!(store.entries(None).await.unwrap()[1], listed);
    }
    // The latest accepted entry of each entrant, the latest first.
    for (number, state) in
        [(1, State::Accepted), (2, State::Accepted), (3, State::Retrying), (4, State::Refused)]
    {
        let (report, fingerprint) = (None, Some(format!("[{number}]")));
        let judged = Write::EntryTested { number, state, report, fingerprint, at_ms: 8 };
        store.commit(&[judged]).await.unwrap();
    }
    assert_eq!(compared(9).await, ["3 [3]", "2 [2]"]);
    assert_eq!(compared(1).await, ["3 [3]"]);
}

async fn keeps_trials(store: &dyn Store) {
    let asked = |entrant: &str, side| Trial {
        number: 0,
        entrant: entrant.into(),
        entry: 1,
        house: "random-mover".into(),
        side,
        asked_ms: 9,
        sentence: None,
    };
    let any = (100, 0);
    assert_eq!(store.request_trial(&asked("Ann", 0), 2, any).await.unwrap(), Some(1));
    assert_eq!(store.request_trial(&asked("Ann", 1), 2, any).await.unwrap(), Some(2));
    assert_eq!(store.request_trial(&asked("Ann", 0), 2, any).await.unwrap(), None);
    assert_eq!(store.request_trial(&asked("bob", 0), 2, any).await.unwrap(), Some(3));
    // Ann requested two trials since 9, none since 10.
    assert_eq!(store.request_trial(&asked("Ann", 0), 9, (2, 9)).await.unwrap(), None);
    let stored = [store.stored_bytes(Some("Ann")).await, store.stored_bytes(None).await];
    assert_eq!(store.trial_record(1).await.unwrap(), None);
    let record = PackedRecord::pack(b"a record");
    let tried =
        |number, record| Write::TrialPlayed { number, sentence: "black wins".into(), record };
    store.commit(&[tried(1, Some(record.clone()))]).await.unwrap();
    // A played trial is not played again.
    store.commit(&[tried(1, None)]).await.unwrap();
    let length = record.0.len() as u64;
    assert_eq!(store.trial_record(1).await.unwrap(), Some(record));
    for (of, before) in [Some("Ann"), None].into_iter().zip(stored) {
        assert_eq!(store.stored_bytes(of).await.unwrap(), before.unwrap() + length, "{of:?}");
    }
    assert_eq!(store.request_trial(&asked("Ann", 0), 2, (2, 10)).await.unwrap(), Some(4));
    let of_ann = store.trials(Some("Ann")).await.unwrap();
    let expected = Trial { number: 1, sentence: Some("black wins".into()), ..asked("Ann", 0) };
    assert_eq!((&of_ann[0], of_ann.len()), (&expected, 3));
    assert_eq!(store.trials(None).await.unwrap().len(), 4);
}

async fn keeps_audit_log_and_properties(store: &dyn Store) {
    let act = |text: &str| AuditEntry { at_ms: 3, text: text.into() };
    store.commit(&[Write::Audit(act("one")), Write::Audit(act("two"))]).await.unwrap();
    assert_eq!(store.audit_log().await.unwrap(), [act("one"), act("two")]);
    let property = |text: &str| Write::Property { name: "flags".into(), text: text.into() };
    assert_eq!(store.property("flags").await.unwrap(), None);
    for text in ["[]", "[1]"] {
        store.commit(&[property(text)]).await.unwrap();
        assert_eq!(store.property("flags").await.unwrap().as_deref(), Some(text));
    }
}

async fn keeps_all_or_none(store: &dyn Store) {
    let act = AuditEntry { at_ms: 4, text: "never".into() };
    let writes = [Write::Audit(act.clone()), Write::Entrant(entrant("eve", "t1"))];
    assert!(store.commit(&writes).await.is_err());
    assert!(!store.audit_log().await.unwrap().contains(&act));
}

async fn registers_by_invitation(store: &dyn Store) {
    assert!(store.invitations().await.unwrap().is_empty());
    let invite = |secret: &str, places, expires_ms| Write::Invitation {
        secret: secret.into(),
        places,
        created_ms: 10,
        expires_ms,
    };
    store.commit(&[invite("i1", 2, 100), invite("i2", 1, 100)]).await.unwrap();
    assert!(store.commit(&[invite("i1", 1, 100)]).await.is_err());
    let first = Invitation {
        number: 1,
        places: 2,
        used: 0,
        created_ms: 10,
        expires_ms: 100,
        is_revoked: false,
    };
    assert_eq!(store.invitation_of("i1").await.unwrap(), Some(first));
    assert_eq!(store.invitation_of("i").await.unwrap(), None);
    let register = async |secret: &str, name: &str, at_ms| {
        let act = AuditEntry { at_ms, text: format!("{name} registers") };
        store.register(secret, &entrant(name, &format!("token of {name}")), &act).await.unwrap()
    };
    let used = async || {
        let all = store.invitations().await.unwrap();
        all.iter().map(|it| (it.number, it.used, it.is_revoked)).collect::<Vec<_>>()
    };
    // An unknown secret, and the moment at which the invitation ends.
    assert_eq!(register("i", "dan", 20).await, Registration::NoPlace);
    assert_eq!(register("i1", "dan", 100).await, Registration::NoPlace);
    assert_eq!(register("i1", "dan", 99).await, Registration::Registered);
    assert_eq!(store.entrant_of("token of dan").await.unwrap().unwrap().name, "dan");
    assert_eq!(store.audit_log().await.unwrap().last().unwrap().text, "dan registers");
    // A name that is taken costs no place.
    assert_eq!(register("i1", "dan", 20).await, Registration::NameTaken);
    assert_eq!(used().await, [(1, 1, false), (2, 0, false)]);
    assert_eq!(register("i1", "fay", 20).await, Registration::Registered);
    assert_eq!(register("i1", "gus", 20).await, Registration::NoPlace);
    store.commit(&[Write::InvitationRevoked(2)]).await.unwrap();
    assert_eq!(register("i2", "gus", 20).await, Registration::NoPlace);
    assert_eq!(used().await, [(1, 2, false), (2, 0, true)]);
    assert_eq!(store.entrant_of("token of gus").await.unwrap(), None);
}
