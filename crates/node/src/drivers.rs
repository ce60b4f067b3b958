//! The drivers of a machine: the vendor's if it has one, the software GPU if it has none or if one is asked for.

use std::path::PathBuf;

use crate::card::{Card, Devices};
use crate::config::Config;
use crate::nvml_unsafe::Nvml;
use crate::protocol::Kind;

type Driver = Result<Box<dyn Devices>, String>;

pub struct Drivers {
    real: Driver,
    /// None: nobody has asked for it yet.
    soft: Option<Driver>,
    load_soft: Box<dyn Fn() -> Driver + Send>,
}

/// What was seen at one look: the devices of each driver, or why there are none.
#[derive(Clone, Debug, Default)]
pub struct View {
    pub cards: Vec<Card>,
    pub no_real: Option<String>,
    pub no_soft: Option<String>,
}

impl View {
    pub fn has(&self, kind: Kind) -> bool {
        self.cards.iter().any(|card| card.kind == kind)
    }
}

impl Drivers {
    /// Loads what the machine has. The vendor's comes first: once another library of its name is loaded, the loader would
    /// give that one.
    pub fn load(config: &Config) -> Drivers {
        let soft: Option<PathBuf> = config.soft_nvml();
        Drivers {
            real: Nvml::real().map(|nvml| Box::new(nvml) as Box<dyn Devices>),
            soft: None,
            load_soft: Box::new(move || {
                let path = soft.as_ref().ok_or("the software GPU's libraries are not here")?;
                Ok(Box::new(Nvml::soft(path)?))
            }),
        }
    }

    /// One that is made up, and no software GPU.
    #[cfg(feature = "fuzzing")]
    pub fn made_up(real: Box<dyn Devices>) -> Drivers {
        Drivers { real: Ok(real), soft: None, load_soft: Box::new(|| Err("there is none".into())) }
    }

    /// Looks at every device. `soft`: the software GPU is wanted though there may be a real one.
    pub fn look(&mut self, soft: bool) -> View {
        let mut view = View::default();
        match self.real.as_mut().map_err(|why| why.clone()).and_then(|driver| driver.look()) {
            Ok(cards) if cards.is_empty() => view.no_real = Some("the driver has no device".into()),
            Ok(cards) => view.cards = cards,
            Err(why) => view.no_real = Some(why),
        }
        if soft || view.no_real.is_some() || self.soft.is_some() {
            let driver = self.soft.get_or_insert_with(|| (self.load_soft)());
            match driver.as_mut().map_err(|why| why.clone()).and_then(|driver| driver.look()) {
                Ok(cards) => view.cards.extend(cards),
                Err(why) => view.no_soft = Some(why),
            }
        }
        view
    }
}

#[cfg(test)]
pub mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    /// A driver whose devices a test puts up.
    #[derive(Clone, Default)]
    pub struct Fake(pub Arc<Mutex<Vec<Card>>>);

    impl Devices for Fake {
        fn look(&mut self) -> Result<Vec<Card>, String> {
            Ok(self.0.lock().unwrap().clone())
        }
    }

    impl Drivers {
        pub fn fake(real: &Fake, soft: &Fake) -> Drivers {
            let soft = soft.clone();
            Drivers {
                real: Ok(Box::new(real.clone())),
                soft: None,
                load_soft: Box::new(move || Ok(Box::new(soft.clone()))),
            }
        }
    }

    pub fn card(kind: Kind, byte: u8, gib: u64) -> Card {
        Card {
            uuid: cleave_slot::Uuid::Gpu([byte; 16]).to_string(),
            name: format!("Fake {byte}"),
            kind,
            total: gib << 30,
            kept: 0,
            holders: Some(Vec::new()),
            mode: crate::card::Mode::Shared,
        }
    }

    #[test]
    fn the_software_gpu_is_looked_for_where_there_is_no_other_or_it_is_wanted() {
        let (real, soft) = (Fake::default(), Fake::default());
        soft.0.lock().unwrap().push(card(Kind::Soft, 1, 1));
        let mut drivers = Drivers::fake(&real, &soft);
        let view = drivers.look(false);
        assert!(view.has(Kind::Soft) && view.no_real.is_some());
        real.0.lock().unwrap().push(card(Kind::Real, 2, 1));
        let mut drivers = Drivers::fake(&real, &soft);
        assert!(!drivers.look(false).has(Kind::Soft));
        assert!(drivers.look(true).has(Kind::Soft));
        assert!(drivers.look(false).has(Kind::Soft), "once wanted, it stays");
    }
}
