#[macro_export]
#[doc(hidden)]
macro_rules! nvml_unit_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    /// How many units there are.
    fn nvmlUnitGetCount since 11070 [soft forward call]
        (unitCount: out(u32));

    /// Unit with the given number.
    fn nvmlUnitGetHandleByIndex since 11070 [soft forward call]
        (index: val(u32), unit: out(nvmlUnit_t));

    /// Names of a unit.
    fn nvmlUnitGetUnitInfo since 11070 [absent forward call]
        (unit: val(nvmlUnit_t), info: out(nvmlUnitInfo_t));

    /// Lamp of a unit.
    fn nvmlUnitGetLedState since 11070 [absent forward call]
        (unit: val(nvmlUnit_t), state: out(nvmlLedState_t));

    /// Power supply of a unit.
    fn nvmlUnitGetPsuInfo since 11070 [absent forward call]
        (unit: val(nvmlUnit_t), psu: out(nvmlPSUInfo_t));

    /// Temperature in a unit.
    fn nvmlUnitGetTemperature since 11070 [absent forward call]
        (unit: val(nvmlUnit_t), type_: val(u32), temp: out(u32));

    /// Fans of a unit.
    fn nvmlUnitGetFanSpeedInfo since 11070 [absent forward call]
        (unit: val(nvmlUnit_t), fanSpeeds: out(nvmlUnitFanSpeeds_t));

    /// Devices in a unit.
    fn nvmlUnitGetDevices since 11070 [absent forward call]
        (unit: val(nvmlUnit_t), deviceCount: inout(u32), devices: array_out(nvmlDevice_t, deviceCount));

    /// Changes the lamp of a unit.
    fn nvmlUnitSetLedState since 11070 [absent forward call]
        (unit: val(nvmlUnit_t), color: val(nvmlLedColor_t));

}}}}
