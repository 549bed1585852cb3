//! Chooses the next unit to measure, and keeps the results so far. A measurement consists of units
//! (pairs of games, or blocks of positions). Any number of threads work on units; the evaluator
//! counts them in order and ends a measurement when enough of them are counted. So the run does not
//! depend on which thread was faster: units beyond the end are dropped. Pure.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use sandboard_evolution::{
    End, MeasurementRequest, MeasurementResult, Race, RaceError, RaceSetup, RaceStatus, Subject,
    TellError, Tuner, Weights,
};
use serde::{Deserialize, Serialize};

/// A unit of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnitKey {
    /// The number of the measurement.
    pub measurement: u32,
    /// The number of the unit in its measurement, from 0.
    pub unit: u32,
}

/// A unit to be measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Unit {
    /// Its measurement and number.
    pub key: UnitKey,
    /// The weights that are measured.
    pub subject: Subject,
    /// Its number in the common order of openings, opponents and seeds. Weights that were measured
    /// equally often get the same numbers.
    pub number: u32,
}

/// The open measurements of a run and their progress.
#[derive(Debug)]
pub struct Evaluator {
    tuner: Tuner,
    units: u32,
    race_error: Option<f64>,
    /// How many units beyond the counted ones may be handed out.
    ahead: u32,
    open: BTreeMap<u32, OpenMeasurement>,
    /// The number of measurements opened.
    opened: u32,
    /// How often weights were measured, including open measurements.
    measured: HashMap<Weights, u32>,
    /// The faults of the finished measurements, by number.
    faults: BTreeMap<u32, FaultSummary>,
}

/// The faults of engines in counted units.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultSummary {
    /// The number of units with a fault.
    pub units: u64,
    /// The sentence of the last fault.
    pub last: Option<String>,
}

impl FaultSummary {
    /// Adds the result of one more unit.
    pub fn add(&mut self, fault: Option<String>) {
        self.units += u64::from(fault.is_some());
        self.last = fault.or(self.last.take());
    }
}

#[derive(Debug)]
struct OpenMeasurement {
    subject: Subject,
    race: Race,
    /// The number of its first unit.
    first: u32,
    /// Units that a thread is measuring.
    in_progress: BTreeSet<u32>,
    /// Results that are not counted yet, because an earlier unit is missing.
    results: BTreeMap<u32, (u8, Option<String>)>,
    counted: u32,
    faults: FaultSummary,
}

/// Why a result is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluatorError {
    /// The unit was not requested, or already has a result.
    #[error("unit {unit} of measurement {measurement} was not requested")]
    NotRequested {
        /// The number of the measurement.
        measurement: u32,
        unit: u32,
    },
    /// The half points are out of range.
    #[error("unit {unit} of measurement {measurement}: {reason}")]
    Points {
        /// The number of the measurement.
        measurement: u32,
        unit: u32,
        reason: String,
    },
    /// The tuner refused the result of the measurement.
    #[error(transparent)]
    Tell(#[from] TellError),
    /// The setup of the measurement is invalid.
    #[error(transparent)]
    Race(#[from] RaceError),
}

impl Evaluator {
    /// A run without results. At most `ahead` units of one measurement are in progress at once.
    /// Fails if `units` or `race_error` is out of range.
    pub fn new(
        tuner: Tuner,
        units: u32,
        race_error: Option<f64>,
        ahead: u32,
    ) -> Result<Self, EvaluatorError> {
        let mut evaluator = Self {
            tuner,
            units,
            race_error,
            ahead: ahead.max(1),
            open: BTreeMap::new(),
            opened: 0,
            measured: HashMap::new(),
            faults: BTreeMap::new(),
        };
        evaluator.open_measurements()?;
        Ok(evaluator)
    }

    /// The method with its history.
    pub fn tuner(&self) -> &Tuner {
        &self.tuner
    }

    /// The faults of engines in counted measurements. Does not depend on which thread was faster.
    pub fn faults(&self) -> FaultSummary {
        let mut all = FaultSummary::default();
        for faults in self.faults.range(..self.tuner.progress().measurements).map(|(_, it)| it) {
            all.units += faults.units;
            all.last.clone_from(&faults.last);
        }
        all
    }

    /// Why the run is over; `None` while it is not.
    pub fn end(&self) -> Option<&End> {
        self.tuner.end()
    }

    /// The next unit to measure; `None` if no unit can start before a result arrives, or none is
    /// left.
    pub fn take(&mut self) -> Option<Unit> {
        let (units, ahead) = (self.units, self.ahead);
        let free = |(number, it): (&u32, &mut OpenMeasurement)| {
            // After the process was killed, any of these units may lack its result.
            let mut near = it.counted..units.min(it.counted.saturating_add(ahead));
            let missing =
                |unit: &u32| !it.results.contains_key(unit) && !it.in_progress.contains(unit);
            let unit = near.find(missing)?;
            it.in_progress.insert(unit);
            let key = UnitKey { measurement: *number, unit };
            Some(Unit { key, subject: it.subject.clone(), number: it.first.wrapping_add(unit) })
        };
        self.open.iter_mut().find_map(free)
    }

    /// Returns a unit without a result, so that another thread can take it.
    pub fn release(&mut self, key: UnitKey) {
        if let Some(measurement) = self.open.get_mut(&key.measurement) {
            measurement.in_progress.remove(&key.unit);
        }
    }

    /// Adds the result of a unit: 0 to 4 half points for the measured weights, and a fault, if
    /// there was one. Returns the measurements that it completes.
    pub fn add(
        &mut self,
        key: UnitKey,
        half_points: u8,
        fault: Option<String>,
    ) -> Result<Vec<(MeasurementRequest, MeasurementResult)>, EvaluatorError> {
        let UnitKey { measurement, unit } = key;
        let refused = || EvaluatorError::NotRequested { measurement, unit };
        let Some(it) = self.open.get_mut(&measurement) else {
            // The measurement ended before this unit.
            return if measurement < self.opened { Ok(Vec::new()) } else { Err(refused()) };
        };
        if unit >= self.units || it.results.contains_key(&unit) || unit < it.counted {
            return Err(refused());
        }
        it.in_progress.remove(&unit);
        it.results.insert(unit, (half_points, fault));
        let mut status = RaceStatus::Continue;
        while let Some((half_points, fault)) = it.results.remove(&it.counted) {
            let points = |error: RaceError| EvaluatorError::Points {
                measurement,
                unit: it.counted,
                reason: error.to_string(),
            };
            status = it.race.add(half_points).map_err(points)?;
            it.counted += 1;
            it.faults.add(fault);
            if status != RaceStatus::Continue {
                break;
            }
        }
        if status == RaceStatus::Continue {
            return Ok(Vec::new());
        }
        let finished = self.finish(measurement)?;
        Ok(finished.into_iter().collect())
    }

    fn finish(
        &mut self,
        number: u32,
    ) -> Result<Option<(MeasurementRequest, MeasurementResult)>, EvaluatorError> {
        let Some(measurement) = self.open.remove(&number) else { return Ok(None) };
        let Some(fitness) = measurement.race.fitness() else {
            return Ok(None);
        };
        let result = match measurement.subject {
            Subject::Fitness { .. } => MeasurementResult::Fitness(fitness),
            Subject::Duel { .. } => {
                MeasurementResult::Duel { margin: 2.0 * fitness.share - 1.0, games: fitness.games }
            }
        };
        self.tuner.tell(number, result)?;
        if measurement.faults.units > 0 {
            self.faults.insert(number, measurement.faults);
        }
        self.open_measurements()?;
        Ok(Some((MeasurementRequest { number, subject: measurement.subject }, result)))
    }

    /// Opens the measurements that the tuner requests now, in the order of the requests: how often
    /// weights were measured before depends on this order.
    fn open_measurements(&mut self) -> Result<(), RaceError> {
        if self.tuner.end().is_some() {
            self.open.clear();
            return Ok(());
        }
        for MeasurementRequest { number, subject } in self.tuner.ask() {
            if self.open.contains_key(&number) {
                continue;
            }
            let (threshold, before) = match &subject {
                Subject::Fitness { weights, threshold } => {
                    let times = self.measured.entry(weights.clone()).or_default();
                    let before = *times;
                    *times += 1;
                    (threshold.filter(|_| self.race_error.is_some()), before)
                }
                // Each step uses other openings.
                Subject::Duel { .. } => (None, number),
            };
            let setup = RaceSetup {
                threshold: threshold.unwrap_or(0.0),
                error_rate: self.race_error.unwrap_or(0.05),
                pairs_max: self.units,
            };
            let race = Race::new(setup)?;
            let first = before.wrapping_mul(self.units);
            let (in_progress, results, faults) = Default::default();
            let measurement =
                OpenMeasurement { subject, race, first, in_progress, results, counted: 0, faults };
            self.open.insert(number, measurement);
            self.opened = self.opened.max(number + 1);
        }
        Ok(())
    }
}
