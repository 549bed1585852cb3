//! What is to be measured next, and what came of it. A measurement is made of units (pairs of games, or blocks of
//! positions), which any number of threads work on; it counts them in their order and is over when enough of them
//! are counted, so that the run does not depend on who was faster. A unit that was made beyond that end is dropped.
//! Pure.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use sandboard_evolution::{
    Answer, Asked, End, Fitness, Question, Race, RaceError, RaceSetup, Standing, TellError, Tuner,
    Weights,
};
use serde::{Deserialize, Serialize};

/// Which unit of which measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnitKey {
    /// The question.
    pub question: u32,
    /// Which of its units, from 0.
    pub unit: u32,
}

/// A unit to be made.
#[derive(Clone, Debug, PartialEq)]
pub struct Unit {
    /// Which.
    pub key: UnitKey,
    /// What is asked.
    pub asked: Asked,
    /// Its number in the common order of openings, opponents and seeds: the same for all weights that are measured
    /// as often.
    pub number: u32,
}

/// What is measured, and how far each measurement is.
#[derive(Debug)]
pub struct Desk {
    tuner: Tuner,
    units: u32,
    race_error: Option<f64>,
    /// How far ahead of what is counted units are handed out.
    ahead: u32,
    open: BTreeMap<u32, Measurement>,
    /// How many questions were opened.
    asked: u32,
    /// How often weights were measured, those that are being measured among them.
    measured: HashMap<Weights, u32>,
    /// Of the questions that are answered.
    faults: BTreeMap<u32, Faults>,
}

/// What engines did wrong in units that count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// In how many units.
    pub units: u64,
    /// The last one, in a sentence.
    pub last: Option<String>,
}

impl Faults {
    /// With one more.
    pub fn add(&mut self, fault: Option<String>) {
        self.units += u64::from(fault.is_some());
        self.last = fault.or(self.last.take());
    }
}

#[derive(Debug)]
struct Measurement {
    asked: Asked,
    race: Race,
    /// The number of its first unit.
    first: u32,
    /// Units that somebody makes.
    in_hand: BTreeSet<u32>,
    /// Those that are made and not counted yet.
    results: BTreeMap<u32, (u8, Option<String>)>,
    counted: u32,
    faults: Faults,
}

/// A unit that nobody asked for, or a result that is none.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DeskError {
    /// It was not asked for, or has been made already.
    #[error("unit {unit} of question {question} was not asked for")]
    NotAsked {
        /// The question.
        question: u32,
        /// The unit.
        unit: u32,
    },
    /// It does not bring so many half points.
    #[error("unit {unit} of question {question}: {reason}")]
    Points {
        /// The question.
        question: u32,
        /// The unit.
        unit: u32,
        /// Why not.
        reason: String,
    },
    /// The tuner does not take the answer that came of it.
    #[error(transparent)]
    Tell(#[from] TellError),
    /// A measurement cannot be made in that way.
    #[error(transparent)]
    Race(#[from] RaceError),
}

impl Desk {
    /// A run of which nothing is measured yet. `ahead` is how many units of one measurement are made at once, at most.
    /// Err: a measurement cannot have so many units, or such an error.
    pub fn new(
        tuner: Tuner,
        units: u32,
        race_error: Option<f64>,
        ahead: u32,
    ) -> Result<Self, DeskError> {
        let mut desk = Self {
            tuner,
            units,
            race_error,
            ahead: ahead.max(1),
            open: BTreeMap::new(),
            asked: 0,
            measured: HashMap::new(),
            faults: BTreeMap::new(),
        };
        desk.open_questions()?;
        Ok(desk)
    }

    /// The run.
    pub fn tuner(&self) -> &Tuner {
        &self.tuner
    }

    /// What engines did wrong in the questions that count, whoever was faster.
    pub fn faults(&self) -> Faults {
        let mut all = Faults::default();
        for faults in self.faults.range(..self.tuner.progress().questions).map(|(_, it)| it) {
            all.units += faults.units;
            all.last.clone_from(&faults.last);
        }
        all
    }

    /// Why it is over, if it is.
    pub fn end(&self) -> Option<&End> {
        self.tuner.end()
    }

    /// The next unit to be made; none: nothing can be begun before something is back, or ever.
    pub fn take(&mut self) -> Option<Unit> {
        let (units, ahead) = (self.units, self.ahead);
        let free = |(question, it): (&u32, &mut Measurement)| {
            // After a kill any of them may be missing.
            let mut near = it.counted..units.min(it.counted.saturating_add(ahead));
            let missing = |unit: &u32| !it.results.contains_key(unit) && !it.in_hand.contains(unit);
            let unit = near.find(missing)?;
            it.in_hand.insert(unit);
            let key = UnitKey { question: *question, unit };
            Some(Unit { key, asked: it.asked.clone(), number: it.first.wrapping_add(unit) })
        };
        self.open.iter_mut().find_map(free)
    }

    /// A unit that was taken is not made: somebody else may take it.
    pub fn give_back(&mut self, key: UnitKey) {
        if let Some(measurement) = self.open.get_mut(&key.question) {
            measurement.in_hand.remove(&key.unit);
        }
    }

    /// A unit is made: it brought the weights that are asked about 0 to 4 half points, and perhaps a fault. What comes back
    /// are the questions that are answered by it.
    pub fn add(
        &mut self,
        key: UnitKey,
        half_points: u8,
        fault: Option<String>,
    ) -> Result<Vec<(Question, Answer)>, DeskError> {
        let UnitKey { question, unit } = key;
        let wrong = || DeskError::NotAsked { question, unit };
        let Some(it) = self.open.get_mut(&question) else {
            // It was made beyond the end of its measurement.
            return if question < self.asked { Ok(Vec::new()) } else { Err(wrong()) };
        };
        if unit >= self.units || it.results.contains_key(&unit) || unit < it.counted {
            return Err(wrong());
        }
        it.in_hand.remove(&unit);
        it.results.insert(unit, (half_points, fault));
        let mut standing = Standing::Continue;
        while let Some((half_points, fault)) = it.results.remove(&it.counted) {
            let points = |error: RaceError| DeskError::Points {
                question,
                unit: it.counted,
                reason: error.to_string(),
            };
            standing = it.race.add(half_points).map_err(points)?;
            it.counted += 1;
            it.faults.add(fault);
            if standing != Standing::Continue {
                break;
            }
        }
        if standing == Standing::Continue {
            return Ok(Vec::new());
        }
        let answered = self.answered(question)?;
        Ok(answered.into_iter().collect())
    }

    fn answered(&mut self, number: u32) -> Result<Option<(Question, Answer)>, DeskError> {
        let Some(measurement) = self.open.remove(&number) else { return Ok(None) };
        let Some(Fitness { share, error, games }) = measurement.race.fitness() else {
            return Ok(None);
        };
        let answer = match measurement.asked {
            Asked::Fitness { .. } => Answer::Fitness(Fitness { share, error, games }),
            Asked::Duel { .. } => Answer::Duel { result: 2.0 * share - 1.0, games },
        };
        self.tuner.tell(number, answer)?;
        if measurement.faults.units > 0 {
            self.faults.insert(number, measurement.faults);
        }
        self.open_questions()?;
        Ok(Some((Question { number, asked: measurement.asked }, answer)))
    }

    /// Opens what the tuner asks for now. In the order of the questions: how often weights were measured before
    /// depends on it.
    fn open_questions(&mut self) -> Result<(), RaceError> {
        if self.tuner.end().is_some() {
            self.open.clear();
            return Ok(());
        }
        for Question { number, asked } in self.tuner.ask() {
            if self.open.contains_key(&number) {
                continue;
            }
            let (bar, before) = match &asked {
                Asked::Fitness { weights, bar } => {
                    let times = self.measured.entry(weights.clone()).or_default();
                    let before = *times;
                    *times += 1;
                    (bar.filter(|_| self.race_error.is_some()), before)
                }
                // Each step looks at other openings.
                Asked::Duel { .. } => (None, number),
            };
            let setup = RaceSetup {
                bar: bar.unwrap_or(0.0),
                error: self.race_error.unwrap_or(0.05),
                pairs: self.units,
            };
            let race = Race::new(setup)?;
            let first = before.wrapping_mul(self.units);
            let (in_hand, results, faults) = Default::default();
            let measurement =
                Measurement { asked, race, first, in_hand, results, counted: 0, faults };
            self.open.insert(number, measurement);
            self.asked = self.asked.max(number + 1);
        }
        Ok(())
    }
}
