use std::cmp::Reverse;

use crate::cluster::Pod;
use crate::desk::{Decision, Desk};
use crate::{Offered, Refusal, Want};

impl Desk {
    /// Places for all members of a gang at once among the nodes offered, in the order given, or for none. The largest are placed first, because
    /// the small ones fit around them and not the other way.
    pub fn decide_gang(&mut self, wants: &[Want], offered: &Offered) -> Result<Vec<Decision>, Refusal> {
        let mut order: Vec<usize> = (0..wants.len()).collect();
        order.sort_by_key(|member| Reverse((wants[*member].slices(), wants[*member].host.cpu_milli)));
        let mut decisions: Vec<Option<Decision>> = vec![None; wants.len()];
        let mut refusal = None;
        for (placed, member) in order.iter().copied().enumerate() {
            match self.decide_among(&wants[member], offered) {
                Ok(decision) => {
                    let node = decision.node;
                    let placements = decision.placements.clone();
                    decisions[member] = Some(decision);
                    let pod = Pod { uid: stand_in(member), want: wants[member].clone(), placements };
                    if self.commit(pod, node).is_err() {
                        refusal = Some(Refusal::new(self.cluster(), &wants[member], offered));
                        break;
                    }
                }
                Err(why) => {
                    refusal = Some(Refusal { gang: Some((placed, wants.len())), ..why });
                    break;
                }
            }
        }
        // Only a decision was asked for: what was laid out to make it is taken up again.
        for member in order {
            self.release(&stand_in(member));
        }
        match refusal {
            Some(refusal) => Err(refusal),
            None => Ok(decisions.into_iter().flatten().collect()),
        }
    }
}

/// A name no pod has: UIDs hold no spaces.
fn stand_in(member: usize) -> String {
    format!("gang member {member}")
}

#[cfg(test)]
mod tests {
    use crate::fixture::{ask, cluster, want};
    use crate::policy::Binpack;
    use crate::{Desk, Offered, Reason};

    #[test]
    fn all_or_none_and_nothing_stays_behind() {
        let mut desk = Desk::new(cluster(2, 2), Box::new(Binpack));
        // In the order given the small ones would take a device each and leave no pair.
        let gang = [want(ask(1, 100)), want(ask(1, 100)), want(ask(2, 100))];
        let all = Offered::all();
        let decisions = desk.decide_gang(&gang, &all).unwrap();
        assert_eq!(decisions[2].placements[0].slices.len(), 2);
        assert_ne!(decisions[0].node, decisions[2].node);
        assert_eq!(decisions[0].node, decisions[1].node);
        assert_eq!(desk.decide_gang(&gang, &all).unwrap(), decisions);
        let refusal = desk.decide_gang(&vec![want(ask(1, 60)); 5], &all).unwrap_err();
        assert_eq!(refusal.gang, Some((4, 5)));
        assert_eq!(refusal.reasons[&Reason::Memory], 2);
        assert!(refusal.to_string().starts_with("4 of 5 members of the gang have a place"));
        assert!(desk.cluster().nodes().iter().all(|node| node.pods().is_empty()));
    }
}
