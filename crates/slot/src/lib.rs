//! Slots: what one tenant may use of one device, and what it uses, in two files that several processes map.
