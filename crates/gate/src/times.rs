//! How long commands take, learnt from samples. A fixed table: what does not fit pushes something else out and is learnt anew, and
//! nothing is ever taken for free.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64};

use crate::batch::Says;
use crate::device::Command;
use crate::wide::{HAND_OVER, Verdict, Wide};

/// Places of the table.
const PLACES: usize = 1 << 13;
/// How far from its home a key may stand.
const PROBES: usize = 8;
/// Costs per unit are kept in fractions of a nanosecond: 2 to the power of this.
const FRACTION: u32 = 20;
/// The least a command takes, whatever a clock of coarse ticks says.
const LEAST: u64 = 500;
/// Samples that differ by less agree: that is what clocks and queues do to the shortest commands.
const BLUR: u64 = 8_000;
/// What a kernel or graph is taken for before it is known. The gate takes it for a quarter of the window if that is more.
const UNKNOWN: u64 = 100_000;
/// What a byte of a copy is taken for, in hundredths of a nanosecond, and what comes on top of all bytes.
const UNKNOWN_BYTE: u64 = 10;
const UNKNOWN_COPY: u64 = 5_000;
/// One in so many commands is sampled at least. The marks of a sample take as long as a few of the shortest commands: where nobody else
/// wants the engine, one in so many nanoseconds of them is enough.
const RAREST: u64 = 256;
const RAREST_ALONE: u64 = 4096;
const RARE_NS: u64 = 10_000_000;
/// One in so many is sampled while samples disagree.
const OFTEN: u16 = 4;
/// After so many samples that agree, what is known is believed.
const SURE: u16 = 3;
/// After so many samples that all took longer than expected, though others may be the reason, the shortest of them counts.
const CONVINCING: u16 = 8;
/// What takes less is not looked at for who is beside it: a turn has room for many of them, and what one takes by itself, measured at the
/// beginning of a turn, has too much of others in it.
const LONG: u64 = 200_000;
/// Where only what a command took itself is known, that says nothing of the beginning of a turn unless it is so long.
const SURELY_LONG: u64 = 1_000_000;
/// What takes so much longer than usual, and several times as long, others are hardly the reason for: it takes now this, now that.
pub const FAR_MORE: u64 = 4_000_000;
pub const TIMES_MORE: u64 = 4;

/// What is known of one key. Any thread reads it and counts it down; only who holds the gate's lock changes the rest. All
/// fields are hints: a torn reading is a wrong prediction and nothing worse.
#[derive(Default)]
#[repr(align(64))]
struct Time {
    /// 0 for an empty place.
    key: AtomicU64,
    /// 0 while it is not known.
    cost: AtomicU64,
    /// What it may take: for what is short and long in turn about the longest it took lately, else 0.
    most: AtomicU64,
    /// The shortest of the doubtful samples in a row.
    low: AtomicU64,
    /// Commands until the next sample.
    left: AtomicU32,
    /// Commands from one sample to the next.
    every: AtomicU16,
    doubtful: AtomicU16,
    /// Samples in a row that did not contradict; below [`SURE`] it is only an upper bound.
    agreed: AtomicU16,
    wide: Wide,
}

/// The table.
pub struct Times {
    places: Box<[Time]>,
}

/// What to expect of a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Expected {
    /// What it usually takes.
    pub ns: u64,
    /// What it may take.
    pub most: u64,
    /// Never measured, or not often enough to be believed.
    pub unsure: bool,
    /// Never measured.
    pub unknown: bool,
    /// To be measured.
    pub sample: bool,
}

/// What is known of who runs beside a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Beside {
    /// What it takes by itself; 0 while that is not known.
    pub alone: u64,
    /// How many of its kind run side by side.
    pub width: u16,
    /// How long it runs.
    pub length: u64,
}

/// What happened while a command was measured, the least first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Meanwhile {
    /// Nothing else, and nobody else wants the engine.
    Alone,
    /// Nothing else.
    Nothing,
    /// Others may have been on the device.
    Others,
    /// A stall was broken: it may have waited for what came then.
    Stall,
}

impl Expected {
    /// Whether another sample would hardly change it.
    pub fn is_settled(&self) -> bool {
        !self.unsure && self.most == self.ns
    }
}

impl Default for Times {
    fn default() -> Times {
        Times { places: (0..PLACES).map(|_| Time::default()).collect() }
    }
}

impl Times {
    /// What a command takes, if it is known and not to be measured this time. What takes now this, now that always is, and what runs side
    /// by side takes now something and now nothing.
    #[inline]
    pub fn usual(&self, command: Command) -> Option<u64> {
        let time = self.find(command.key)?;
        let (cost, left) = (time.cost.load(Relaxed), time.left.load(Relaxed));
        if cost == 0 || left == 0 || time.wide.width() > 1 {
            return None;
        }
        // Two threads may count the same command: a sample comes a little later.
        time.left.store(left - 1, Relaxed);
        Some(whole(cost, command.weight))
    }

    /// What to expect of a command.
    pub fn expect(&self, command: Command) -> Expected {
        let known =
            |key| self.find(key).map(|time| (time, time.cost.load(Relaxed))).filter(|(_, cost)| *cost > 0);
        if let Some((time, cost)) = known(command.key) {
            let most = time.most.load(Relaxed);
            return Expected {
                ns: whole(cost, command.weight),
                most: whole(cost.max(most), command.weight),
                unsure: time.agreed.load(Relaxed) < SURE && most == 0,
                unknown: false,
                sample: time.left.load(Relaxed) == 0,
            };
        }
        let like = known(command.like).map(|(_, cost)| whole(cost, command.weight));
        let ns = like.unwrap_or_else(|| guess(command));
        Expected { ns, most: ns, unsure: true, unknown: like.is_none(), sample: true }
    }

    /// What is known of who runs beside a command. Of what is short, not believed, or takes now this, now that, nothing is.
    pub fn beside(&self, command: Command, expected: &Expected) -> Option<Beside> {
        let time = self.find(command.key).filter(|_| !expected.unknown && expected.most == expected.ns)?;
        let alone = whole_or_none(time.wide.alone(), command.weight);
        let width = if alone == 0 { 1 } else { time.wide.width() };
        let length = if width == 1 { alone.max(expected.ns) } else { alone };
        let matters = width > 1 || length >= LONG && !expected.unsure;
        matters.then_some(Beside { alone, width, length })
    }

    /// A command whose kind runs side by side passed; whether it is to be measured.
    pub fn count(&self, command: Command) -> bool {
        let Some(time) = self.find(command.key) else { return false };
        let left = time.left.load(Relaxed);
        time.left.store(left.saturating_sub(1), Relaxed);
        left == 0
    }

    /// A command took so long, which is no less than it takes by itself; whether nothing else of this process was in flight then.
    pub fn learn_alone(&self, command: Command, ns: u64, alone: bool) {
        let time = self.place(command.key);
        let cost = per_unit(ns.max(LEAST), command.weight);
        match alone {
            true => time.wide.learn_alone(cost, per_unit(HAND_OVER, command.weight)),
            false => time.wide.bound(cost),
        }
    }

    /// What a command takes by itself, if that is long; else 0.
    pub fn long_alone(&self, command: Command) -> u64 {
        let alone = self.find(command.key).map_or(0, |time| whole_or_none(time.wide.alone(), command.weight));
        if alone >= LONG { alone } else { 0 }
    }

    /// A command took so long, and was done so much later than the last of those it is compared with, if that could be seen.
    pub fn judge(&self, command: Command, ns: u64, says: &Says, later: Option<u64>) {
        let Some(time) = self.find(command.key) else { return };
        let alone = whole(time.wide.alone(), command.weight);
        if alone < LONG {
            return time.wide.narrow();
        }
        let Some(company) = says.company else { return };
        let beyond = later.map(|later| later.saturating_sub(company.later));
        let own = Verdict::of_own(ns, alone, says.behind);
        let verdict = match beyond {
            Some(beyond) => Verdict::of_later(beyond, alone).max(own),
            None if says.behind || alone >= SURELY_LONG => own,
            None => Verdict::Unclear,
        };
        if verdict > Verdict::Fits && company.beside < time.wide.width() {
            // The next one is measured as well.
            time.left.store(0, Relaxed);
            time.every.store(OFTEN, Relaxed);
        }
        if time.wide.judge(verdict, company.beside) {
            // Until now it was taken for its part of all that was done meanwhile.
            time.cost.store(time.wide.alone(), Relaxed);
        }
    }

    /// Whether one more than is known to fit is tried beside others.
    pub fn tries_more(&self, command: Command) -> bool {
        self.find(command.key).is_some_and(|time| time.wide.tries_more())
    }

    /// A command that was due for a sample will not give one: the next does.
    pub fn skip(&self, command: Command) {
        if let Some(time) = self.find(command.key) {
            time.left.store(u32::from(time.every.load(Relaxed)), Relaxed);
        }
    }

    /// A command took so long. It counts fully if nothing else can be the reason; otherwise it shows only that the command
    /// takes no longer than that.
    pub fn learn(&self, command: Command, ns: u64, meanwhile: Meanwhile) {
        if command.like != 0 {
            self.place(command.like).cost.store(per_unit(ns.max(LEAST), command.weight), Relaxed);
        }
        let time = self.place(command.key);
        let cost = per_unit(ns.max(LEAST), command.weight);
        let known = time.cost.load(Relaxed);
        let blur = per_unit(BLUR, command.weight);
        let agrees = known > 0 && cost.abs_diff(known) <= (known / 4).max(blur);
        let unsure = time.agreed.load(Relaxed) < SURE;
        if meanwhile != Meanwhile::Stall && known > 0 {
            time.vary(cost, per_unit(FAR_MORE, command.weight));
        }
        if known == 0 || unsure && cost < known {
            // Until it is believed, the shortest says most: others may have been the reason for the rest.
            time.cost.store(cost, Relaxed);
        } else if meanwhile <= Meanwhile::Nothing || cost <= known || agrees {
            let (old, new) = (i128::from(known), i128::from(cost));
            let step = if agrees && new > old { (new - old) / 16 } else { (new - old) / 2 };
            time.cost.store(u64::try_from(old + step).unwrap_or(u64::MAX).max(1), Relaxed);
            time.doubtful.store(0, Relaxed);
        } else {
            time.doubt(cost);
        }
        let agreed = match time.agreed.load(Relaxed) {
            // Others may be the reason, and say nothing against it.
            agreed if !agrees && cost > known && meanwhile == Meanwhile::Others => agreed,
            _ if !agrees || meanwhile == Meanwhile::Stall => 0,
            u16::MAX => SURE,
            agreed => agreed + 1,
        };
        time.agreed.store(agreed, Relaxed);
        let every = match (agreed, agrees) {
            // The first of a kind are all measured, and what takes now this, now that.
            _ if time.most.load(Relaxed) > 0 => 1,
            (..SURE, _) if unsure => 1,
            (_, true) => time.every.load(Relaxed).saturating_mul(2).clamp(1, time.rarest(command, meanwhile)),
            (_, false) => time.every.load(Relaxed).clamp(1, OFTEN),
        };
        time.every.store(every, Relaxed);
        // Not always the same number: programs do the same things again and again, and one of them would never be measured.
        let more = if every > 1 { agreed % 3 } else { 0 };
        time.left.store(u32::from(every + more) - 1, Relaxed);
    }

    /// Something takes much longer than was expected: everything is measured at once.
    pub fn doubt_all(&self) {
        self.places.iter().for_each(|time| time.left.store(0, Relaxed));
    }

    /// A command took no longer than that. For as long as it was kept waiting nothing else can be said: what it took then would
    /// be waited for the next time, and more be learnt from that.
    pub fn bound(&self, command: Command, ns: u64) {
        if let Some(time) = self.find(command.key) {
            let cost = per_unit(ns.max(LEAST), command.weight);
            time.cost.store(time.cost.load(Relaxed).min(cost), Relaxed);
            time.agreed.store(0, Relaxed);
            time.left.store(0, Relaxed);
        }
    }

    /// What stood behind a key is something else now.
    pub fn forget(&self, command: Command) {
        if let Some(time) = self.find(command.key) {
            time.cost.store(0, Relaxed);
            time.most.store(0, Relaxed);
            time.agreed.store(0, Relaxed);
            time.wide.forget();
        }
    }

    #[inline]
    fn find(&self, key: u64) -> Option<&Time> {
        let home = home(key);
        (0..PROBES)
            .map(|step| &self.places[(home + step) % PLACES])
            .find(|time| time.key.load(Relaxed) == key)
    }

    /// The place of a key; if it has none it gets an empty one, or that of another.
    fn place(&self, key: u64) -> &Time {
        if let Some(time) = self.find(key) {
            return time;
        }
        let home = home(key);
        let mut near = (0..PROBES).map(|step| &self.places[(home + step) % PLACES]);
        // Which one has to go depends on the key, so that two that meet do not push out one another for ever.
        let pushed_out = || &self.places[(home + (key >> 32) as usize % PROBES) % PLACES];
        let time = near.find(|time| time.key.load(Relaxed) == 0).unwrap_or_else(pushed_out);
        time.cost.store(0, Relaxed);
        time.most.store(0, Relaxed);
        time.left.store(0, Relaxed);
        time.every.store(1, Relaxed);
        time.doubtful.store(0, Relaxed);
        time.agreed.store(0, Relaxed);
        time.wide.forget();
        time.key.store(key, Relaxed);
        time
    }
}

impl Time {
    /// The most commands from one sample to the next.
    fn rarest(&self, command: Command, meanwhile: Meanwhile) -> u16 {
        let each = whole(self.cost.load(Relaxed), command.weight);
        let most = if meanwhile == Meanwhile::Alone { RARE_NS / each } else { RAREST };
        most.clamp(RAREST, RAREST_ALONE) as u16
    }

    /// A sample that nothing but its own length explains, or one as usual: what is long once in eight times is expected to be.
    fn vary(&self, cost: u64, far_more: u64) {
        let (usual, most) = (self.cost.load(Relaxed), self.most.load(Relaxed));
        let varies =
            |cost: u64| cost >= usual.saturating_mul(TIMES_MORE) && cost >= usual.saturating_add(far_more);
        let faded = most - most / 8;
        let most = if varies(cost) { cost.max(faded) } else { faded };
        self.most.store(if varies(most) { most } else { 0 }, Relaxed);
    }

    /// A sample that took longer than expected, while others may have been on the device.
    fn doubt(&self, cost: u64) {
        let doubtful = self.doubtful.load(Relaxed);
        let low = if doubtful == 0 { cost } else { cost.min(self.low.load(Relaxed)) };
        self.low.store(low, Relaxed);
        self.doubtful.store((doubtful + 1) % CONVINCING, Relaxed);
        if doubtful + 1 == CONVINCING {
            self.cost.store(low, Relaxed);
        }
    }
}

#[inline]
fn home(key: u64) -> usize {
    (key >> 1) as usize % PLACES
}

#[inline]
fn whole(cost: u64, weight: u64) -> u64 {
    let ns = (u128::from(cost) * u128::from(weight)) >> FRACTION;
    u64::try_from(ns).unwrap_or(u64::MAX).clamp(LEAST, LONGEST)
}

/// 0 for what is not known.
fn whole_or_none(cost: u64, weight: u64) -> u64 {
    if cost == 0 { 0 } else { whole(cost, weight) }
}

/// An hour: longer than anything that ends.
const LONGEST: u64 = 3_600_000_000_000;

fn per_unit(ns: u64, weight: u64) -> u64 {
    let cost = (u128::from(ns.min(LONGEST)) << FRACTION) / u128::from(weight.max(1));
    u64::try_from(cost).unwrap_or(u64::MAX).max(1)
}

fn guess(command: Command) -> u64 {
    match command.weight {
        0 | 1 => UNKNOWN,
        bytes => UNKNOWN_COPY.saturating_add(bytes / 100 * UNKNOWN_BYTE).min(LONGEST),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(number: u64) -> Command {
        Command::kernel(number, [1; 3], [32, 1, 1])
    }

    #[test]
    fn the_shortest_are_believed_though_no_two_samples_are_alike() {
        let (times, one) = (Times::default(), kernel(7));
        for ns in [900, 5_000, 1_200, 3_000, 800, 2_000, 6_000, 1_000].into_iter().cycle().take(80) {
            times.learn(one, ns, Meanwhile::Nothing);
        }
        assert!(!times.expect(one).unsure);
        let unmeasured = std::iter::from_fn(|| times.usual(one)).count();
        assert!((256..=258).contains(&(unmeasured + 1)), "{unmeasured}");
    }

    #[test]
    fn the_first_are_measured_and_then_fewer_and_fewer() {
        let (times, one) = (Times::default(), kernel(7));
        assert_eq!(times.usual(one), None);
        assert_eq!(
            times.expect(one),
            Expected { ns: UNKNOWN, most: UNKNOWN, unsure: true, unknown: true, sample: true }
        );
        let mut samples = Vec::new();
        for launch in 0..2000 {
            if times.usual(one).is_none() {
                samples.push(launch);
                times.learn(one, 20_000, Meanwhile::Nothing);
            }
        }
        assert_eq!(samples[..6], [0, 1, 2, 3, 5, 10]);
        let last = samples[samples.len() - 1] - samples[samples.len() - 2];
        assert!((256..=258).contains(&last), "{last}");
        assert_eq!(times.expect(one).ns, 20_000);
    }

    #[test]
    fn of_who_is_alone_the_shortest_are_measured_the_least() {
        use Meanwhile::{Alone, Nothing};
        for (ns, meanwhile, rarest) in [
            (1_000_000, Alone, 256),
            (20_000, Alone, 500),
            (5_000, Alone, 2000),
            (1, Alone, 4096),
            (1, Nothing, 256),
        ] {
            let (times, one) = (Times::default(), kernel(7));
            let samples = (0..200_000u32).filter(|_| {
                let sampled = times.usual(one).is_none();
                if sampled {
                    times.learn(one, ns, meanwhile);
                }
                sampled
            });
            let samples: Vec<u32> = samples.collect();
            let last = samples[samples.len() - 1] - samples[samples.len() - 2];
            assert!((rarest..=rarest + 2).contains(&last), "{ns} ns, {meanwhile:?}: {last}");
        }
    }

    #[test]
    fn what_is_wrong_is_measured_often_until_it_is_right() {
        let (times, one) = (Times::default(), kernel(7));
        for _ in 0..1000 {
            if times.usual(one).is_none() {
                times.learn(one, 1_000_000, Meanwhile::Nothing);
            }
        }
        let mut launches = 0;
        while times.expect(one).ns.abs_diff(20_000) > 5_000 {
            launches += 1;
            if times.usual(one).is_none() {
                times.learn(one, 20_000, Meanwhile::Nothing);
            }
        }
        assert!(launches <= 256 + 10 * 4, "{launches}");
    }

    #[test]
    fn doubtful_samples_lower_and_fill_and_convince_together() {
        let (times, one) = (Times::default(), kernel(7));
        times.learn(one, 50_000, Meanwhile::Others);
        assert_eq!(times.expect(one).ns, 50_000);
        for _ in 0..20 {
            times.learn(one, 20_000, Meanwhile::Others);
        }
        assert!(times.expect(one).ns < 21_000);
        for sample in 1..CONVINCING {
            times.learn(one, 100_000 + u64::from(sample), Meanwhile::Others);
            assert!(times.expect(one).ns < 21_000);
        }
        times.learn(one, 90_000, Meanwhile::Others);
        assert_eq!(times.expect(one).ns, 90_000);
    }

    #[test]
    fn what_is_now_short_now_long_is_expected_to_be_either() {
        let (times, one) = (Times::default(), kernel(7));
        for ns in [50_000, 10_000_000].into_iter().cycle().take(20) {
            times.learn(one, ns, Meanwhile::Others);
        }
        let expected = times.expect(one);
        assert_eq!((expected.ns, expected.most), (50_000, 10_000_000));
        assert!(!expected.unsure && expected.sample, "known, and watched");
        (0..8).for_each(|_| times.learn(one, 50_000, Meanwhile::Others));
        assert_eq!(times.expect(one).most, 50_000, "long once is not long for ever");
    }

    #[test]
    fn what_others_can_be_the_reason_for_is_not_expected() {
        let (times, one) = (Times::default(), kernel(7));
        (0..8).for_each(|_| times.learn(one, 50_000, Meanwhile::Nothing));
        times.learn(one, 4_000_000, Meanwhile::Others);
        assert_eq!(times.expect(one).most, times.expect(one).ns, "a slice or two of others");
        times.learn(one, 10_000_000, Meanwhile::Stall);
        assert_eq!(times.expect(one).most, times.expect(one).ns, "it may have waited");
        assert!(times.expect(one).unsure);
    }

    #[test]
    fn a_program_that_repeats_itself_hides_nothing() {
        for period in [2, 4, 8, 16] {
            let (times, one) = (Times::default(), kernel(7));
            // Known well before it begins to vary.
            let vary = |launch: u32| launch > 100_000 && launch.is_multiple_of(period);
            let found = (0..120_000).any(|launch| {
                if times.usual(one).is_none() {
                    let ns = if vary(launch) { 10_000_000 } else { 50_000 };
                    times.learn(one, ns, Meanwhile::Others);
                }
                times.expect(one).most > 50_000
            });
            assert!(found, "one in {period}");
        }
    }

    #[test]
    fn what_is_doubted_is_measured_at_once() {
        let (times, one) = (Times::default(), kernel(7));
        for _ in 0..1000 {
            if times.usual(one).is_none() {
                times.learn(one, 20_000, Meanwhile::Nothing);
            }
        }
        assert!(times.usual(one).is_some());
        times.doubt_all();
        assert_eq!((times.usual(one), times.expect(one).sample), (None, true));
    }

    #[test]
    fn who_was_in_the_way_makes_nothing_longer() {
        let (times, one) = (Times::default(), kernel(7));
        for ns in [1_000_000, 1_200_000, 1_000_000, 1_000_000, 1_150_000].into_iter().cycle().take(200) {
            times.learn(one, ns, Meanwhile::Nothing);
        }
        assert!(times.expect(one).ns <= 1_030_000, "{}", times.expect(one).ns);
    }

    #[test]
    fn what_was_kept_waiting_takes_no_longer_than_it_took() {
        let (times, one) = (Times::default(), kernel(7));
        times.bound(one, 20_000_000);
        assert!(times.expect(one).unknown);
        (0..4).for_each(|_| times.learn(one, 1_000_000, Meanwhile::Nothing));
        times.bound(one, 20_000_000);
        assert_eq!((times.expect(one).ns, times.expect(one).sample), (1_000_000, true));
        times.bound(one, 300_000);
        assert_eq!(times.expect(one).ns, 300_000);
    }

    #[test]
    fn a_full_table_forgets_and_nothing_becomes_free() {
        let times = Times::default();
        let kernel = |number| Command { like: 0, ..kernel(number) };
        for number in 1..50_000 {
            times.learn(kernel(number), 5_000_000, Meanwhile::Nothing);
        }
        let known = (1..50_000).filter(|number| !times.expect(kernel(*number)).unknown).count();
        assert!(known > PLACES / 2, "{known}");
        for number in 1..50_000 {
            let expected = times.expect(kernel(number));
            assert!(expected.ns == 5_000_000 || expected.unknown && expected.ns == UNKNOWN);
        }
        let seven = kernel(7);
        times.learn(seven, 5_000_000, Meanwhile::Nothing);
        times.forget(seven);
        assert!(times.expect(seven).unknown);
    }

    #[test]
    fn copies_are_known_by_magnitude_and_counted_by_byte() {
        let times = Times::default();
        assert_eq!(times.expect(Command::copy(1 << 30)).ns, 5_000 + ((1 << 30) / 100) * 10);
        times.learn(Command::copy(1 << 20), 100_000, Meanwhile::Nothing);
        assert_eq!(times.expect(Command::copy((1 << 21) - 1)).ns, 199_999);
        let larger = times.expect(Command::copy(1 << 30));
        assert_eq!(
            larger,
            Expected { ns: 100_000 << 10, most: 100_000 << 10, unsure: true, unknown: false, sample: true },
            "like the smaller"
        );
        times.learn(Command::copy(0), 0, Meanwhile::Nothing);
        assert_eq!(times.expect(Command::copy(1)).ns, LEAST);
        times.learn(Command::copy(u64::MAX), u64::MAX, Meanwhile::Nothing);
        assert!(times.expect(Command::copy(u64::MAX)).ns <= LONGEST);
    }

    #[test]
    fn another_shape_is_taken_for_the_last_one() {
        let times = Times::default();
        times.learn(Command::kernel(8, [1; 3], [32, 1, 1]), 30_000, Meanwhile::Nothing);
        let other = Command::kernel(8, [9; 3], [32, 1, 1]);
        assert_eq!(times.usual(other), None);
        assert_eq!(
            times.expect(other),
            Expected { ns: 30_000, most: 30_000, unsure: true, unknown: false, sample: true }
        );
        assert!(times.expect(Command::kernel(16, [9; 3], [32, 1, 1])).unknown);
    }

    #[test]
    fn shapes_are_told_apart() {
        let keys: std::collections::HashSet<u64> = (1..100u32)
            .flat_map(|n| {
                let huge = [65535, 65535, n];
                [Command::kernel(8, [n, 1, 1], [1; 3]), Command::kernel(8, [1, n, 1], [1; 3])]
                    .into_iter()
                    .chain([
                        Command::kernel(8, [1; 3], [n, 1, 1]),
                        Command::kernel(8, huge, [1; 3]),
                        Command::kernel(u64::from(n) * 64, [2; 3], [3; 3]),
                        Command::graph(u64::from(n) * 64),
                    ])
            })
            .map(|command| command.key)
            .collect();
        assert!(keys.len() >= 6 * 99 - 3, "{}", keys.len());
    }
}
