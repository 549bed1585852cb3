//! Requests that are accepted, and requests that are refused with their sentences.

use super::*;
use crate::store::Sqlite;
use sandboard_common::date::parse_date;
use sandboard_games::Games;

const FILE: &str = "name = \"a\"\ngame = \"gomoku\"\nbudget = \"fuel:1e6/move\"\nentry_bytes = 2000\nentries_per_day = 2\n\
                    house = [\"random-mover\"]\nopens = 2026-11-01T00:00:00Z\ncloses = 2026-12-01T00:00:00Z\n";

struct TestContest {
    store: Sqlite,
    contest: Contest,
}

impl TestContest {
    async fn new() -> Self {
        let contest = Contest::parse(FILE, &Games::default()).unwrap();
        Self { store: Sqlite::in_memory().await.unwrap(), contest }
    }

    fn at(&self, now: &str) -> ContestService<'_> {
        let since = parse_date(now).unwrap().duration_since(SystemTime::UNIX_EPOCH).unwrap();
        let now_ms = since.as_millis() as i64;
        ContestService { store: &self.store, contest: &self.contest, now_ms }
    }

    async fn entrant(&self, name: &str) -> Entrant {
        let all = self.store.entrants().await.unwrap();
        all.into_iter().find(|it| it.name == name).unwrap()
    }
}

fn sentence<T: std::fmt::Debug>(result: Result<T, ServiceError>) -> String {
    result.unwrap_err().to_string()
}

const OPEN: &str = "2026-11-15T00:00:00Z";

#[tokio::test]
async fn tokens_identify_the_organiser_and_entrants() {
    let test_contest = TestContest::new().await;
    let service = test_contest.at(OPEN);
    let organiser = token::generate().unwrap();
    let founding = Founding {
        file: FILE.into(),
        openings: None,
        seed: [0; 32],
        organiser: token::hash(&organiser),
        founded_ms: 0,
    };
    let token = service.admit("Ann Lee").await.unwrap();
    let who = async |token: &str| service.caller(&founding, token).await.unwrap();
    let ann = || Some("Ann Lee".to_owned());
    let name = |who| match who {
        Some(Caller::Entrant(entrant)) => Some(entrant.name),
        _ => None,
    };
    assert_eq!(who(&organiser).await, Some(Caller::Organiser));
    assert_eq!(name(who(&token).await), ann());
    assert_eq!(who("sbt-0").await, None);
    assert_eq!(who(&token::hash(&token)).await, None);
    // A second admission changes nothing.
    let taken = sentence(service.admit("Ann Lee").await);
    assert!(taken.starts_with("`Ann Lee` is an entrant already"), "{taken}");
    assert_eq!(name(who(&token).await), ann());
    let unknown = sentence(service.renew_token("Ann").await);
    assert_eq!(unknown, "no entrant is called `Ann`; there is Ann Lee");
    let again = service.renew_token("Ann Lee").await.unwrap();
    assert_eq!((name(who(&again).await), who(&token).await), (ann(), None));
    for wrong in ["", " Ann", "Ann ", "a/b", "a\nb", "<b>", &"a".repeat(41)] {
        assert!(sentence(service.admit(wrong).await).contains("is not a valid name"), "{wrong}");
    }
    service.admit(&"ö".repeat(40)).await.unwrap();
    assert!(sentence(service.admit("random-mover").await).contains("of a house engine"));
    let log = test_contest.store.audit_log().await.unwrap();
    assert_eq!(log[0].text, "Ann Lee is admitted");
    assert_eq!(log[1].text, "Ann Lee gets a new token; the old one is invalid now");
    assert!(log.iter().all(|entry| !entry.text.contains("sbt-")));
}

#[tokio::test]
async fn entries_are_limited_in_time_number_and_size() {
    let test_contest = TestContest::new().await;
    test_contest.at(OPEN).admit("ann").await.unwrap();
    let ann = test_contest.entrant("ann").await;
    let submit =
        async |now: &str, bytes: usize| test_contest.at(now).submit(&ann, &vec![1; bytes]).await;
    let refused = async |now: &str, bytes| sentence(submit(now, bytes).await);
    assert_eq!(
        refused("2026-10-31T23:59:59Z", 9).await,
        "entries are taken from 2026-11-01T00:00:00Z on"
    );
    assert_eq!(
        refused("2026-12-01T00:00:00Z", 9).await,
        "entries were taken until 2026-12-01T00:00:00Z"
    );
    assert_eq!(
        refused(OPEN, 2001).await,
        "the entry has 2001 bytes; the contest takes at most 2000"
    );
    assert!(refused(OPEN, 0).await.starts_with("the entry is empty"));
    assert_eq!(submit(OPEN, 2000).await, Ok(1));
    assert_eq!(test_contest.at(OPEN).may_submit(&ann).await, Ok(()));
    assert_eq!(submit(OPEN, 1).await, Ok(2));
    assert_eq!(
        test_contest.at(OPEN).may_submit(&ann).await,
        Err(ServiceError::TooManyEntries { most: 2 })
    );
    assert!(
        refused("2026-11-15T23:59:59Z", 1)
            .await
            .starts_with("one entrant may submit 2 entries in 24 hours")
    );
    assert_eq!(submit("2026-11-16T00:00:01Z", 1).await, Ok(3));
    assert_eq!(test_contest.store.entries(None).await.unwrap().len(), 3);
}

#[tokio::test]
async fn the_closing_date_can_change_until_it_has_passed() {
    let test_contest = TestContest::new().await;
    let founding = Founding {
        file: FILE.into(),
        openings: None,
        seed: [0; 32],
        organiser: String::new(),
        founded_ms: 0,
    };
    test_contest.store.found(&founding).await.unwrap();
    let games = Games::default();
    let load = async || crate::load(&test_contest.store, &games).await.unwrap().unwrap().1;
    let set = async |date: &str| {
        let contest = load().await;
        let service = ContestService { contest: &contest, ..test_contest.at(OPEN) };
        service.set_closes(parse_date(date).unwrap()).await
    };
    let closes = async || load().await.closes.map(rfc3339).unwrap();
    assert_eq!(closes().await, "2026-12-01T00:00:00Z");
    assert_eq!(
        sentence(set("2026-11-01T00:00:00Z").await),
        "the contest opens on 2026-11-01T00:00:00Z and cannot close before"
    );
    set("2027-01-01T00:00:00Z").await.unwrap();
    assert_eq!(closes().await, "2027-01-01T00:00:00Z");
    assert_eq!(
        sentence(set("2026-11-01T00:00:01Z").await),
        "2026-11-01T00:00:01Z is in the past: to stop taking entries, close the contest now"
    );
    // Closing now is final.
    set(OPEN).await.unwrap();
    assert_eq!(set("2026-12-01T00:00:00Z").await, Err(ServiceError::AlreadyClosed));
    assert_eq!(closes().await, OPEN);
}

#[tokio::test]
async fn a_disqualified_entrant_is_given_the_reason() {
    let test_contest = TestContest::new().await;
    let service = test_contest.at(OPEN);
    service.admit("ann").await.unwrap();
    let set = async |status, why: &str| service.set_status("ann", status, why).await;
    for wrong in ["", "  ", "a\nb", &"a".repeat(501)] {
        assert_eq!(set(Status::Disqualified, wrong).await, Err(ServiceError::Reason));
    }
    set(Status::Disqualified, "two names").await.unwrap();
    let submit = async || service.submit(&test_contest.entrant("ann").await, b"1").await;
    assert_eq!(sentence(submit().await), "ann is disqualified and cannot do that: two names");
    set(Status::Withdrawn, "").await.unwrap();
    assert_eq!(sentence(submit().await), "ann is withdrawn and cannot do that");
    set(Status::In, "").await.unwrap();
    assert_eq!(submit().await, Ok(1));
    assert_eq!(
        sentence(service.set_status("bob", Status::Withdrawn, "").await),
        "no entrant is called `bob`; there is ann"
    );
    let log = test_contest.store.audit_log().await.unwrap();
    assert_eq!(log[1].text, "ann is disqualified: two names");
}

#[tokio::test]
async fn a_trial_needs_an_own_accepted_entry() {
    let test_contest = TestContest::new().await;
    let service = test_contest.at(OPEN);
    for name in ["ann", "bob"] {
        service.admit(name).await.unwrap();
        service.submit(&test_contest.entrant(name).await, b"1").await.unwrap();
    }
    let ann = test_contest.entrant("ann").await;
    let ask =
        async |entry, house: &str, side| service.request_trial(&ann, entry, house, side).await;
    let none = |number| Err(ServiceError::NoEntry { name: "ann".into(), number });
    assert_eq!(ask(Some(1), "random-mover", 0).await, none(Some(1)));
    assert_eq!(sentence(ask(None, "random-mover", 0).await), "ann has no accepted entry");
    for number in [1, 2] {
        let (report, fingerprint) = (None, None);
        let state = State::Accepted;
        let judged = Write::EntryTested { number, state, report, fingerprint, at_ms: 1 };
        test_contest.store.commit(&[judged]).await.unwrap();
    }
    assert_eq!(sentence(ask(Some(2), "random-mover", 0).await), "ann has no accepted entry 2");
    assert_eq!(ask(Some(1), "random-mover", 2).await, Err(ServiceError::Side(2)));
    assert!(sentence(ask(Some(1), "bob", 1).await).ends_with("there is random-mover"));
    assert_eq!(ask(None, "random-mover", 1).await, Ok(1));
    assert_eq!(ask(Some(1), "random-mover", 0).await, Ok(2));
    assert_eq!(ask(Some(1), "random-mover", 0).await, Ok(3));
    assert!(sentence(ask(Some(1), "random-mover", 0).await).starts_with("3 trials are waiting"));
    // An accepted entry keeps playing while it is tested again.
    assert_eq!(service.request_retest(9).await, Err(ServiceError::UnknownEntry(9)));
    service.request_retest(1).await.unwrap();
    assert_eq!(test_contest.store.entry(1).await.unwrap().unwrap().state, State::Retrying);
}

#[tokio::test]
async fn what_is_over_a_quota_is_refused_with_the_numbers() {
    let mut test_contest = TestContest::new().await;
    test_contest.contest = Contest {
        trials_per_day: 2,
        entrant_bytes: 10,
        contest_bytes: 15,
        entries_per_day: 9,
        ..test_contest.contest
    };
    let service = test_contest.at(OPEN);
    for name in ["ann", "bob"] {
        service.admit(name).await.unwrap();
    }
    let (ann, bob) = (test_contest.entrant("ann").await, test_contest.entrant("bob").await);
    // Exactly the quota of an entrant, and one byte more.
    assert_eq!(service.submit(&ann, b"123456").await, Ok(1));
    let over = sentence(service.submit(&ann, b"12345").await);
    let expected =
        "what is stored of ann takes 6 bytes already, 5 more would exceed the limit of 10";
    assert_eq!(over, expected);
    assert_eq!(service.submit(&ann, b"1234").await, Ok(2));
    // The quota of the contest.
    let over = sentence(service.submit(&bob, b"123456").await);
    let expected = "what is stored of the contest takes 10 bytes already, 6 more would exceed the \
                    limit of 15";
    assert_eq!(over, expected);
    assert_eq!(service.submit(&bob, b"123").await, Ok(3));
    let accepted = |number| Write::EntryTested {
        number,
        state: State::Accepted,
        report: None,
        fingerprint: None,
        at_ms: 1,
    };
    test_contest.store.commit(&[accepted(1), accepted(3)]).await.unwrap();
    // A record has a length that is not known, so it needs at least one free byte.
    let over = sentence(service.request_trial(&ann, None, "random-mover", 0).await);
    assert!(over.starts_with("what is stored of ann takes 10 bytes already, 1 more"), "{over}");
    for number in [1, 2] {
        assert_eq!(service.request_trial(&bob, None, "random-mover", 0).await, Ok(number));
    }
    let over = sentence(service.request_trial(&bob, None, "random-mover", 0).await);
    assert_eq!(over, "2 trials in 24 hours, and one entrant may request 2: try again later");
    let next_day = test_contest.at("2026-11-16T00:00:01Z");
    assert_eq!(next_day.request_trial(&bob, None, "random-mover", 0).await, Ok(3));
}

#[tokio::test]
async fn an_invitation_admits_entrants_until_it_ends() {
    let test_contest = TestContest::new().await;
    let service = test_contest.at(OPEN);
    let end = || parse_date("2026-11-20T00:00:00Z").unwrap();
    let refused = async |places, until: &str| {
        sentence(service.invite(places, parse_date(until).unwrap()).await)
    };
    assert!(refused(0, "2026-11-20T00:00:00Z").await.contains("1 to 1000 entrants"));
    assert!(refused(1001, "2026-11-20T00:00:00Z").await.contains("1 to 1000 entrants"));
    assert!(refused(1, OPEN).await.contains("must end in the future"));
    assert!(refused(1, "2028-01-01T00:00:00Z").await.contains("within a year"));
    let closed = test_contest.at("2026-12-01T00:00:00Z");
    assert!(sentence(closed.invite(1, end()).await).starts_with("entries were taken until"));

    let secret = service.invite(2, end()).await.unwrap();
    assert!(secret.starts_with("sbi-") && secret.len() == 44);
    let register = async |name: &str| service.register(&secret, name).await;
    let token = register("Ann Lee").await.unwrap();
    assert!(token.starts_with("sbt-"));
    assert_eq!(
        sentence(register("Ann Lee").await),
        "another entrant is called `Ann Lee`: choose another name"
    );
    for wrong in ["", " Ann", "a/b", "<b>", "a\u{202e}b", &"a".repeat(41)] {
        assert!(sentence(register(wrong).await).contains("is not a valid name"), "{wrong}");
    }
    assert!(sentence(register("random-mover").await).contains("of a house engine"));
    // A token is no invitation, an invitation is no token, and neither is its hash.
    let not_invited = "this is not an invitation";
    for other in [token.as_str(), "sbi-0", "", &token::hash(&secret)] {
        assert!(sentence(service.register(other, "Bob").await).starts_with(not_invited));
    }
    assert_eq!(test_contest.store.entrant_of(&token::hash(&secret)).await, Ok(None));
    let late = test_contest.at("2026-11-20T00:00:00Z");
    let ended = sentence(late.register(&secret, "Bob").await);
    assert_eq!(ended, "this invitation was valid until 2026-11-20T00:00:00Z");
    register("Bob").await.unwrap();
    assert_eq!(sentence(register("Cem").await), "all 2 places of this invitation are taken");

    let second = service.invite(9, end()).await.unwrap();
    assert_eq!(sentence(service.revoke_invitation(3).await), "there is no invitation 3");
    service.revoke_invitation(2).await.unwrap();
    let revoked = sentence(service.register(&second, "Cem").await);
    assert_eq!(revoked, "the organiser has revoked this invitation");
    let log = test_contest.store.audit_log().await.unwrap();
    let texts: Vec<&str> = log.iter().map(|entry| entry.text.as_str()).collect();
    let expected = [
        "invitation 1 is made, for 2 entrants until 2026-11-20T00:00:00Z",
        "Ann Lee registers with invitation 1",
        "Bob registers with invitation 1",
        "invitation 2 is made, for 9 entrants until 2026-11-20T00:00:00Z",
        "invitation 2 is revoked",
    ];
    assert_eq!(texts, expected);
}
