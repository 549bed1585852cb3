//! Dates as text, and back. Reads no clock.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A time as RFC 3339 in UTC, to the second: `2026-07-01T12:34:56Z`. Times before 1970 become 1970.
pub fn rfc3339(time: SystemTime) -> String {
    let [year, month, day, hour, minute, second] = civil(time);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Year, month, day, hour, minute and second in UTC, by Howard Hinnant's `civil_from_days`.
pub(super) fn civil(time: SystemTime) -> [u64; 6] {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let z = days + 719_468;
    let (era, day_of_era) = (z / 146_097, z % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    [year, month, day, rest / 3_600, rest / 60 % 60, rest % 60]
}

/// The first second after the year 9999, since 1970. RFC 3339 has no later years.
const END_SECONDS: u64 = 253_402_300_800;

/// Parses a date in RFC 3339, such as
/// `2026-12-01T18:00:00+01:00`. Fractions of a second are dropped. `None` for any other text, and
/// for times outside of the years 1970 to 9999 in UTC.
pub fn parse_date(text: &str) -> Option<SystemTime> {
    let (date, rest) = text.split_at_checked(10)?;
    let rest = rest.strip_prefix(['T', 't', ' '])?;
    let (time, rest) = rest.split_at_checked(8)?;
    let fraction = rest
        .strip_prefix('.')
        .map_or(0, |digits| 1 + digits.bytes().take_while(u8::is_ascii_digit).count());
    let zone = rest.get(fraction..).filter(|_| fraction != 1)?;
    let ahead = match zone {
        "Z" | "z" => 0,
        _ => {
            let sign = if zone.starts_with('-') { -1 } else { 1 };
            let [hours, minutes] = numbers(zone.strip_prefix(['+', '-'])?, ':', [2, 2])?;
            (hours < 24 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))?
        }
    };
    let [year, month, day] = numbers(date, '-', [4, 2, 2])?;
    let [hour, minute, second] = numbers(time, ':', [2, 2, 2])?;
    let is_time = hour < 24 && minute < 60 && second < 61;
    let since = days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - ahead;
    let seconds = u64::try_from(since).ok().filter(|_| is_time)?;
    let found = (seconds < END_SECONDS).then(|| UNIX_EPOCH + Duration::from_secs(seconds))?;
    // A day that its month does not have, such as 30 February, converts back to another date.
    let of_day =
        UNIX_EPOCH + Duration::from_secs(u64::try_from(days(year, month, day)).ok()? * 86_400);
    let [y, m, d, ..] = civil(of_day).map(|part| part as i64);
    ([y, m, d] == [year, month, day]).then_some(found)
}

/// `N` numbers separated by `between`, each with exactly its number of digits.
fn numbers<const N: usize>(text: &str, between: char, digits: [usize; N]) -> Option<[i64; N]> {
    let mut parts = text.split(between);
    let mut found = [0; N];
    for (number, digits) in found.iter_mut().zip(digits) {
        let part = parts.next().filter(|part| part.len() == digits)?;
        *number = part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse().ok())??;
    }
    parts.next().is_none().then_some(found)
}

/// Days since 1970, by Howard Hinnant's `days_from_civil`.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn rfc3339_follows_the_calendar() {
        let check = |seconds, expected| {
            let time = UNIX_EPOCH + Duration::from_secs(seconds);
            assert_eq!(rfc3339(time), expected);
        };
        check(0, "1970-01-01T00:00:00Z");
        check(951_782_400, "2000-02-29T00:00:00Z");
        check(951_868_799, "2000-02-29T23:59:59Z");
        check(951_868_800, "2000-03-01T00:00:00Z");
        check(1_735_689_599, "2024-12-31T23:59:59Z");
        check(4_107_542_400, "2100-03-01T00:00:00Z");
        let before = UNIX_EPOCH - Duration::from_secs(1);
        assert_eq!(rfc3339(before), "1970-01-01T00:00:00Z");
    }

    #[test]
    fn dates() {
        let check = |text: &str, expected: Option<u64>| {
            let found =
                parse_date(text).map(|time| time.duration_since(UNIX_EPOCH).unwrap().as_secs());
            assert_eq!(found, expected, "{text}");
        };
        check("1970-01-01T00:00:00Z", Some(0));
        check("2026-12-01T18:00:00Z", Some(1_796_148_000));
        check("2026-12-01t18:00:00.987z", Some(1_796_148_000));
        check("2026-12-01 19:30:00+01:30", Some(1_796_148_000));
        check("2026-12-01T17:00:00-01:00", Some(1_796_148_000));
        check("2024-02-29T00:00:00Z", Some(1_709_164_800));
        check("9999-12-31T23:59:59Z", Some(END_SECONDS - 1));
        for wrong in [
            "2025-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z",
            "2026-01-00T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:60:00Z",
            "1969-12-31T23:59:59Z",
            "1970-01-01T00:00:00+00:01",
            "9999-12-31T23:59:59-00:01",
            "2026-01-01T00:00:00",
            "2026-01-01T00:00:00.Z",
            "2026-01-01T00:00:00+24:00",
            "2026-01-01T00:00:00+1:00",
            "2026-01-01T00:00Z",
            "2026-1-01T00:00:00Z",
            "2026-01-01",
            "202é-01-01T00:00:00Z",
            "",
        ] {
            check(wrong, None);
        }
    }

    proptest! {
        #[test]
        fn a_date_that_was_written_is_read(seconds in 0..END_SECONDS) {
            let time = UNIX_EPOCH + Duration::from_secs(seconds);
            prop_assert_eq!(parse_date(&rfc3339(time)), Some(time));
        }
    }
}
