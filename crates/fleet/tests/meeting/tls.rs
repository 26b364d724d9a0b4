//! TLS: the token goes in no clear text, and a coordinator is who it says.

use iobound_fleet::{Coordinator, CoordinatorTls, JoinError, RankTls};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};

use super::{Comer, all, loopback, nothing, rules, token};

/// An authority, and what it signed for a name.
fn certified(name: &str) -> (RankTls, CoordinatorTls) {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(vec![name.to_string()]).unwrap();
    let cert = params.signed_by(&key, &authority).unwrap();
    (
        RankTls { ca: authority.pem(), name: Some(name.to_string()) },
        CoordinatorTls { cert: cert.pem(), key: key.serialize_pem() },
    )
}

#[test]
fn a_rank_believes_a_coordinator_whose_certificate_its_authority_signed() {
    let (ranks, coordinators) = certified("coordinator.example");
    let coordinator = Coordinator::open(&loopback(), 2, Some(token()), Some(coordinators), rules()).unwrap();
    let comers: Vec<_> = (0..2)
        .map(|rank| {
            let comer = Comer { tls: Some(ranks.clone()), ..Comer::new(&coordinator, rank, 2) };
            std::thread::spawn(move || comer.takes_part(nothing()))
        })
        .collect();
    all(&coordinator);
    for comer in comers {
        comer.join().unwrap().unwrap();
    }
}

#[test]
fn a_rank_believes_no_coordinator_of_another_authority_or_another_name() {
    let (_, coordinators) = certified("coordinator.example");
    let (other, _) = certified("coordinator.example");
    let coordinator = Coordinator::open(&loopback(), 1, Some(token()), Some(coordinators), rules()).unwrap();
    let comer = Comer { tls: Some(other), ..Comer::new(&coordinator, 0, 1) };
    let JoinError::Unreachable(why) = comer.join().unwrap_err() else { panic!("it believed") };
    assert!(why.contains("certificate"), "{why}");

    let (ranks, coordinators) = certified("coordinator.example");
    let coordinator = Coordinator::open(&loopback(), 1, Some(token()), Some(coordinators), rules()).unwrap();
    let named = RankTls { name: Some("other.example".into()), ..ranks };
    let comer = Comer { tls: Some(named), ..Comer::new(&coordinator, 0, 1) };
    let JoinError::Unreachable(why) = comer.join().unwrap_err() else { panic!("it believed") };
    assert!(why.contains("certificate"), "{why}");
}

#[test]
fn what_is_no_certificate_is_refused_before_anything_is_opened() {
    let nothing = CoordinatorTls { cert: "none".into(), key: "none".into() };
    let refused = Coordinator::open(&loopback(), 1, Some(token()), Some(nothing), rules()).unwrap_err();
    assert!(refused.what.contains("cannot use the certificate and its key"), "{}", refused.what);
    assert!(refused.help.contains("--tls-cert"));
}

#[test]
fn a_token_and_a_key_print_as_nothing() {
    let (_, coordinators) = certified("coordinator.example");
    assert_eq!(format!("{:?} {coordinators:?}", token()), "Token(..) CoordinatorTls(..)");
}
