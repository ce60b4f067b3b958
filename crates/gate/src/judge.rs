//! What a gate lets a command pass for and what it measures it for, where commands run side by side.

use crate::batch::{Says, Whose};
use crate::device::{Command, Device};
use crate::fare::Fare;
use crate::gate::Gate;
use crate::inner::Inner;
use crate::order::Standing;
use crate::times::Expected;
use crate::wide::HAND_OVER;

impl<D: Device> Gate<'_, D> {
    /// What a command is let pass for. Where everything goes to one stream, nothing runs side by side.
    pub(crate) fn fare(
        &self,
        inner: &mut Inner<D::Mark>,
        command: Command,
        expected: &Expected,
        stream: u64,
        standing: &Standing,
        now: u64,
    ) -> Fare {
        let beside = inner.has_streams(stream).then(|| self.times.beside(command, expected)).flatten();
        let Some(beside) = beside else { return Fare::single(expected) };
        let Inner { lanes, flights, used, .. } = inner;
        lanes.keep(|stream| flights.has(stream) || used.commands > 0 && self.open.has(stream));
        // At the beginning of a turn the device still does the last of another's.
        lanes.begins_at(if standing.tracked { now + HAND_OVER } else { now });
        Fare::among(lanes, expected, beside, stream, standing, now)
    }

    /// What a command that passes is measured for.
    pub(crate) fn says(
        &self,
        inner: &mut Inner<D::Mark>,
        fare: &Fare,
        command: Command,
        expected: &Expected,
        stream: u64,
        now: u64,
    ) -> Says {
        let company = fare.company(&inner.lanes, stream, now);
        let is_trial = fare.is_trial
            || company.is_some_and(|company| company.beside == fare.width) && self.times.tries_more(command);
        let is_due = expected.sample || fare.width > 1 || is_trial;
        let behind =
            is_due && (inner.flights.has(stream) || inner.used.commands > 0 && self.open.has(stream));
        if is_trial {
            return Says { company, behind, ..Says::default() };
        }
        let alone = inner.is_empty();
        if fare.width > 1 {
            // What more than fit took is not its own alone.
            let fits = company.is_some_and(|company| company.beside < fare.width);
            let due = self.times.count(command) || expected.unsure;
            return match due && !inner.puts_off(!alone) {
                true => Says { cost: fits.then_some(Whose::Own), alone, company, behind },
                false => Says::default(),
            };
        }
        match expected.sample && !(expected.is_settled() && inner.puts_off(behind)) {
            true => Says { cost: Some(Whose::All), alone, company, behind },
            false => Says { alone: alone && fare.asks_alone(expected.sample), ..Says::default() },
        }
    }
}
