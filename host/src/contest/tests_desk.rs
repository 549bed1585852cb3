//! Who is let in, what is taken, and what is refused with which sentence.

use super::*;
use crate::contest::store::Sqlite;
use crate::record::of_date;

const FILE: &str = "name = \"a\"\ngame = \"gomoku\"\nbudget = \"fuel:1e6/move\"\nentry_bytes = 2000\nentries_per_day = 2\n\
                    house = [\"random-mover\"]\nopens = 2026-11-01T00:00:00Z\ncloses = 2026-12-01T00:00:00Z\n";

struct Hall {
    store: Sqlite,
    contest: Contest,
}

impl Hall {
    async fn new() -> Self {
        let contest = Contest::parse(FILE).unwrap();
        Self { store: Sqlite::in_memory().await.unwrap(), contest }
    }

    fn at(&self, now: &str) -> Desk<'_> {
        let since = of_date(now).unwrap().duration_since(SystemTime::UNIX_EPOCH).unwrap();
        let now_ms = since.as_millis() as i64;
        Desk { store: &self.store, contest: &self.contest, now_ms }
    }

    async fn entrant(&self, name: &str) -> Entrant {
        let all = self.store.entrants().await.unwrap();
        all.into_iter().find(|it| it.name == name).unwrap()
    }
}

fn sentence<T: std::fmt::Debug>(result: Result<T, Refused>) -> String {
    result.unwrap_err().to_string()
}

const OPEN: &str = "2026-11-15T00:00:00Z";

#[tokio::test]
async fn people_are_known_by_their_tokens() {
    let hall = Hall::new().await;
    let desk = hall.at(OPEN);
    let organiser = token::draw().unwrap();
    let founding = Founding {
        file: FILE.into(),
        openings: None,
        seed: [0; 32],
        organiser: token::kept(&organiser),
        founded_ms: 0,
    };
    let token = desk.let_in("Ann Lee").await.unwrap();
    let who = async |token: &str| desk.who(&founding, token).await.unwrap();
    let ann = || Some("Ann Lee".to_owned());
    let name = |who| match who {
        Some(Who::Entrant(entrant)) => Some(entrant.name),
        _ => None,
    };
    assert_eq!(who(&organiser).await, Some(Who::Organiser));
    assert_eq!(name(who(&token).await), ann());
    assert_eq!(who("sbt-0").await, None);
    assert_eq!(who(&token::kept(&token)).await, None);
    let again = desk.let_in("Ann Lee").await.unwrap();
    assert_eq!((name(who(&again).await), who(&token).await), (ann(), None));
    for wrong in ["", " Ann", "Ann ", "a/b", "a\nb", "<b>", &"a".repeat(41)] {
        assert!(sentence(desk.let_in(wrong).await).contains("is no name of an entrant"), "{wrong}");
    }
    desk.let_in(&"ö".repeat(40)).await.unwrap();
    assert!(sentence(desk.let_in("random-mover").await).contains("of the house"));
    let acts = hall.store.acts().await.unwrap();
    assert_eq!(acts[0].text, "Ann Lee is let in");
    assert_eq!(acts[1].text, "Ann Lee gets a new token, and the old one counts no more");
    assert!(acts.iter().all(|act| !act.text.contains("sbt-")));
}

#[tokio::test]
async fn entries_are_taken_in_time_in_number_and_in_size() {
    let hall = Hall::new().await;
    hall.at(OPEN).let_in("ann").await.unwrap();
    let ann = hall.entrant("ann").await;
    let submit = async |now: &str, bytes: usize| hall.at(now).submit(&ann, &vec![1; bytes]).await;
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
        "the entry has 2001 bytes, and the contest takes 2000 at most"
    );
    assert!(refused(OPEN, 0).await.starts_with("the entry is empty"));
    assert_eq!(submit(OPEN, 2000).await, Ok(1));
    assert_eq!(hall.at(OPEN).may_submit(&ann).await, Ok(()));
    assert_eq!(submit(OPEN, 1).await, Ok(2));
    assert_eq!(hall.at(OPEN).may_submit(&ann).await, Err(Refused::Often { most: 2 }));
    assert!(refused("2026-11-15T23:59:59Z", 1).await.starts_with("2 entries in 24 hours"));
    assert_eq!(submit("2026-11-16T00:00:01Z", 1).await, Ok(3));
    assert_eq!(hall.store.entries(None).await.unwrap().len(), 3);
}

#[tokio::test]
async fn the_date_is_changed_until_it_has_passed() {
    let hall = Hall::new().await;
    let founding = Founding {
        file: FILE.into(),
        openings: None,
        seed: [0; 32],
        organiser: String::new(),
        founded_ms: 0,
    };
    hall.store.found(&founding).await.unwrap();
    let load = async || crate::contest::load(&hall.store).await.unwrap().unwrap().1;
    let set = async |date: &str| {
        let contest = load().await;
        let desk = Desk { contest: &contest, ..hall.at(OPEN) };
        desk.set_closes(of_date(date).unwrap()).await
    };
    let closes = async || load().await.closes.map(rfc3339).unwrap();
    assert_eq!(closes().await, "2026-12-01T00:00:00Z");
    assert_eq!(
        sentence(set("2026-11-01T00:00:00Z").await),
        "it opens on 2026-11-01T00:00:00Z, and cannot close before"
    );
    set("2027-01-01T00:00:00Z").await.unwrap();
    assert_eq!(closes().await, "2027-01-01T00:00:00Z");
    assert_eq!(
        sentence(set("2026-11-01T00:00:01Z").await),
        "2026-11-01T00:00:01Z has passed: to take no more entries, close it now"
    );
    // To now: that is for good.
    set(OPEN).await.unwrap();
    assert_eq!(set("2026-12-01T00:00:00Z").await, Err(Refused::Over));
    assert_eq!(closes().await, OPEN);
}

#[tokio::test]
async fn who_is_out_is_told_why() {
    let hall = Hall::new().await;
    let desk = hall.at(OPEN);
    desk.let_in("ann").await.unwrap();
    let set = async |status, why: &str| desk.set_status("ann", status, why).await;
    for wrong in ["", "  ", "a\nb", &"a".repeat(501)] {
        assert_eq!(set(Status::Disqualified, wrong).await, Err(Refused::Reason));
    }
    set(Status::Disqualified, "two names").await.unwrap();
    let submit = async || desk.submit(&hall.entrant("ann").await, b"1").await;
    assert_eq!(sentence(submit().await), "ann is disqualified and cannot do that: two names");
    set(Status::Withdrawn, "").await.unwrap();
    assert_eq!(sentence(submit().await), "ann is withdrawn and cannot do that");
    set(Status::In, "").await.unwrap();
    assert_eq!(submit().await, Ok(1));
    assert_eq!(
        sentence(desk.set_status("bob", Status::Withdrawn, "").await),
        "nobody here is called `bob`; there is ann"
    );
    let acts = hall.store.acts().await.unwrap();
    assert_eq!(acts[1].text, "ann is disqualified: two names");
}

#[tokio::test]
async fn unrated_bouts_are_of_ones_own_accepted_entries() {
    let hall = Hall::new().await;
    let desk = hall.at(OPEN);
    for name in ["ann", "bob"] {
        desk.let_in(name).await.unwrap();
        desk.submit(&hall.entrant(name).await, b"1").await.unwrap();
    }
    let ann = hall.entrant("ann").await;
    let ask = async |entry, house: &str, side| desk.ask(&ann, entry, house, side).await;
    let none = |number| Err(Refused::NoEntry { name: "ann".into(), number });
    assert_eq!(ask(Some(1), "random-mover", 0).await, none(Some(1)));
    assert_eq!(sentence(ask(None, "random-mover", 0).await), "ann has no accepted entry");
    for number in [1, 2] {
        let (report, fingerprint) = (None, None);
        let state = State::Accepted;
        let judged = Write::Judged { number, state, report, fingerprint, at_ms: 1 };
        hall.store.commit(&[judged]).await.unwrap();
    }
    assert_eq!(sentence(ask(Some(2), "random-mover", 0).await), "ann has no accepted entry 2");
    assert_eq!(ask(Some(1), "random-mover", 2).await, Err(Refused::Side(2)));
    assert!(sentence(ask(Some(1), "bob", 1).await).ends_with("there is random-mover"));
    assert_eq!(ask(None, "random-mover", 1).await, Ok(1));
    assert_eq!(ask(Some(1), "random-mover", 0).await, Ok(2));
    assert_eq!(ask(Some(1), "random-mover", 0).await, Ok(3));
    assert!(sentence(ask(Some(1), "random-mover", 0).await).starts_with("3 unrated bouts"));
    // One that may play does so while it is tried again.
    assert_eq!(desk.try_again(9).await, Err(Refused::Unknown(9)));
    desk.try_again(1).await.unwrap();
    assert_eq!(hall.store.entry(1).await.unwrap().unwrap().state, State::Retrying);
}
