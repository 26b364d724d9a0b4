use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use clap::Args;

use crate::arguments::CommonArgs;
use crate::output;
use iobound_app::Exit;
use iobound_app::Failure;
use iobound_app::settings::Settings;

const EXAMPLES: &str = "\
Examples:
  iobound serve                              # the page is at http://127.0.0.1:8627/ until Ctrl-C
  iobound serve --at 127.0.0.1:0             # at any free port; the address is printed
  ssh -L 8627:127.0.0.1:8627 VM iobound serve        # the page of another machine, in this browser";

/// Default address of the page, with a port that is not registered.
const AT: &str = "127.0.0.1:8627";

/// Serve a local web page: predict, plan, kept results, and the activity of this machine's disks.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ServeArgs {
    /// Loopback address or port of the page [default: 127.0.0.1:8627]
    #[arg(long, value_name = "ADDRESS|PORT")]
    at: Option<String>,
}

/// Serves until Ctrl-C.
pub(crate) fn run(args: &ServeArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let mut settings = Settings::load(&common.env(), common.config.as_deref())?;
    // A variable of another name than the flag's: `IOBOUND_AT` is about burst credits.
    let given = settings.text("serve-at", args.at.as_deref(), Some(AT)).map(|given| given.called("at"));
    let at = given.map(|given| given.parse(parse_address)).transpose()?;
    let at = at.unwrap_or(SocketAddr::new(Ipv4Addr::LOCALHOST.into(), 8627));
    // The page's questions use the other variables.
    if common.show_config {
        return output::settings(&settings.finish(), common);
    }
    if common.json {
        return Err(Failure::input("--json has no effect: serve prints no JSON document")
            .help("the page's own answers are documents: curl 'http://127.0.0.1:8627/api/predict?vm=DS14&disk=10xP30'"));
    }
    serve(at, common)
}

#[cfg(feature = "serve")]
fn serve(at: SocketAddr, common: &CommonArgs) -> Result<Exit, Failure> {
    crate::serve::until_interrupted(at, common)
}

#[cfg(not(feature = "serve"))]
fn serve(_: SocketAddr, _: &CommonArgs) -> Result<Exit, Failure> {
    Err(Failure::not_built("web server"))
}

fn parse_address(text: &str) -> Result<SocketAddr, String> {
    if let Ok(port) = text.parse::<u16>() {
        return Ok(SocketAddr::new(Ipv4Addr::LOCALHOST.into(), port));
    }
    let expected = || format!("`{text}` is not an address: write a port, or an address such as {AT}");
    let at: SocketAddr = text.parse().map_err(|_| expected())?;
    let is_loopback = |ip: IpAddr| ip.is_loopback();
    if !is_loopback(at.ip()) {
        return Err(format!(
            "only this machine may open the page, and others can reach {}: write 127.0.0.1:{}; from another machine, use ssh -L {}:127.0.0.1:{}",
            at.ip(),
            at.port(),
            at.port(),
            at.port()
        ));
    }
    Ok(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_of_the_loopback() {
        assert_eq!(parse_address("80"), Ok("127.0.0.1:80".parse().unwrap()));
        assert_eq!(parse_address("[::1]:0"), Ok("[::1]:0".parse().unwrap()));
        assert_eq!(parse_address(AT).map(|at| at.port()), Ok(8627), "what is shown as the default");
        assert!(parse_address("0.0.0.0:80").unwrap_err().contains("only this machine may open the page"));
        assert!(parse_address("70000").unwrap_err().contains("write a port"));
    }
}
