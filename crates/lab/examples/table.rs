use iobound_lab::*;
use iobound_drive::Flow;
fn main(){
  let name = std::env::args().nth(1).unwrap_or("published".into());
  let s = shipped_named(&name).unwrap();
  let e = match Experiment::read(&name, s.text, &iobound_catalog::Catalog::shipped()) { Ok(e)=>e, Err(e)=>{println!("{e}"); return;} };
  let t0=std::time::SystemTime::UNIX_EPOCH; let _=t0;
  for run in e.runs {
    let p = run.published.as_ref().map(|p| (p.iops.map(|f| f.value), p.throughput_bytes_per_s.map(|f| f.value)));
    match Model.execute(&run, &mut |_| Flow::Continue) {
      Ok(x) => { let row = Row::of(run, x); println!("{:18} {:?} ceil {:.0} exp {:.1} [{:.1}-{:.1}] sim {:.1} {:?} mb {:.1} bind {:?} {} | {:?}\n      {}", row.run.name, p, row.execution.prediction.ceiling.iops.unwrap_or(0.), row.execution.prediction.expected.iops,row.band.low,row.band.high,row.execution.simulated.iops,row.execution.simulated.per_second.map(|p| (p.min,p.max)), row.execution.simulated.throughput_bytes_per_s/1e6, row.execution.prediction.binding.iter().map(|b| b.to_string()).collect::<Vec<_>>(), row.verdict.name(), row.run.changed(), row.would_need.join("; ")); }
      Err(err) => println!("{} ERR {err}", run.name),
    }
  }
}
