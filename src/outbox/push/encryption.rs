//! A message that one device alone can read: RFC 8291, in the form of RFC 8188 (`aes128gcm`), as one record.

use aws_lc_rs::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use aws_lc_rs::agreement::{self, ECDH_P256, PrivateKey, UnparsedPublicKey};
use aws_lc_rs::hkdf::{HKDF_SHA256, KeyType, Salt};
use aws_lc_rs::rand;

/// The length of a point of P-256, uncompressed.
const POINT_BYTES: usize = 65;
const SALT_BYTES: usize = 16;
/// What every push service takes (RFC 8030), and so the length that a record says it may have.
const RECORD_BYTES: u32 = 4_096;
/// The text is padded to a multiple of this, so that its length reveals nothing.
const PAD_TO: usize = 512;
/// Stands after the text of the last record.
const LAST: u8 = 2;

/// Why something could not be encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the device's keys are not valid: switch notifications off and on again on that device")]
pub struct BadKeys;

/// Whether a device's public key is one: an uncompressed point on the curve.
#[must_use]
pub fn is_public_key(bytes: &[u8]) -> bool {
    bytes.len() == POINT_BYTES
        && bytes.first() == Some(&4)
        && PrivateKey::generate(&ECDH_P256).is_ok_and(|own| shared(&own, bytes).is_ok())
}

/// Encrypts a text for the holder of the private key to `p256dh` and of `auth`.
///
/// # Errors
/// When these are not valid keys.
pub fn encrypt(p256dh: &[u8], auth: &[u8], text: &[u8]) -> Result<Vec<u8>, BadKeys> {
    let own = PrivateKey::generate(&ECDH_P256).expect("the system has random numbers");
    let mut salt = [0; SALT_BYTES];
    rand::fill(&mut salt).expect("the system has random numbers");
    let padding = PAD_TO - (text.len() + 1) % PAD_TO;
    encrypt_with(&own, salt, (p256dh, auth), text, padding)
}

/// Like [`encrypt`], with the random values given.
fn encrypt_with(
    own: &PrivateKey,
    salt: [u8; SALT_BYTES],
    (p256dh, auth): (&[u8], &[u8]),
    text: &[u8],
    padding: usize,
) -> Result<Vec<u8>, BadKeys> {
    let own_public = own.compute_public_key().map_err(|_| BadKeys)?;
    let own_public = own_public.as_ref();
    let shared = shared(own, p256dh)?;
    let of_both: [&[u8]; 3] = [b"WebPush: info\0", p256dh, own_public];
    let secret = derive::<32>(auth, &shared, &of_both)?;
    let key = derive::<16>(&salt, &secret, &[b"Content-Encoding: aes128gcm\0"])?;
    let nonce = derive::<12>(&salt, &secret, &[b"Content-Encoding: nonce\0"])?;

    let mut sealed = text.to_vec();
    sealed.push(LAST);
    sealed.resize(sealed.len() + padding, 0);
    let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key).map_err(|_| BadKeys)?);
    key.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut sealed)
        .map_err(|_| BadKeys)?;

    let mut message = Vec::with_capacity(SALT_BYTES + 5 + POINT_BYTES + sealed.len());
    message.extend(salt);
    message.extend(RECORD_BYTES.to_be_bytes());
    message.push(u8::try_from(own_public.len()).map_err(|_| BadKeys)?);
    message.extend(own_public);
    message.extend(sealed);
    Ok(message)
}

/// What both sides know and nobody else.
fn shared(own: &PrivateKey, theirs: &[u8]) -> Result<Vec<u8>, BadKeys> {
    let theirs = UnparsedPublicKey::new(&ECDH_P256, theirs);
    agreement::agree(own, theirs, BadKeys, |shared| Ok(shared.to_vec()))
}

/// HKDF with SHA-256.
fn derive<const LENGTH: usize>(salt: &[u8], secret: &[u8], info: &[&[u8]]) -> Result<[u8; LENGTH], BadKeys> {
    let mut derived = [0; LENGTH];
    Salt::new(HKDF_SHA256, salt)
        .extract(secret)
        .expand(info, Length(LENGTH))
        .and_then(|key| key.fill(&mut derived))
        .map_err(|_| BadKeys)?;
    Ok(derived)
}

/// How many bytes are derived.
struct Length(usize);

impl KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;

    use super::*;

    fn bytes(text: &str) -> Vec<u8> {
        URL_SAFE_NO_PAD.decode(text).unwrap()
    }

    const P256DH: &str =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
    const AUTH: &str = "BTBZMqHH6r4Tts7J_aSIgg";

    /// The example of RFC 8291, appendix A.
    #[test]
    fn the_example_of_the_standard_comes_out_byte_by_byte() {
        let own = bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw");
        let own = PrivateKey::from_private_key(&ECDH_P256, &own).unwrap();
        let salt = bytes("DGv6ra1nlYgDCS1FRnbzlw").try_into().unwrap();
        let text = b"When I grow up, I want to be a watermelon";
        let message = encrypt_with(&own, salt, (&bytes(P256DH), &bytes(AUTH)), text, 0).unwrap();
        assert_eq!(
            URL_SAFE_NO_PAD.encode(message),
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
        );
    }

    #[test]
    fn no_two_messages_are_the_same_and_their_length_says_nothing() {
        let encrypt = |text: &[u8]| encrypt(&bytes(P256DH), &bytes(AUTH), text).unwrap();
        assert_ne!(encrypt(b"a"), encrypt(b"a"));
        assert_eq!(encrypt(b"a").len(), encrypt(&[b'a'; 400]).len());
        assert!(encrypt(&[b'a'; 1_000]).len() < RECORD_BYTES as usize);
    }

    #[test]
    fn what_is_no_point_on_the_curve_is_refused() {
        assert!(is_public_key(&bytes(P256DH)));
        let mut off = bytes(P256DH);
        off[40] ^= 1;
        let mut compressed = bytes(P256DH);
        compressed.truncate(33);
        compressed[0] = 2;
        for key in [Vec::new(), vec![4; 65], off, compressed, vec![0; 65]] {
            assert!(!is_public_key(&key), "{key:?}");
        }
        assert_eq!(encrypt(&[4; 65], &bytes(AUTH), b"a"), Err(BadKeys));
    }
}
