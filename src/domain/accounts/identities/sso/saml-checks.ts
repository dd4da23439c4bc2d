const LONGEST_XML = 262_144;
/** Digests and signatures that can be forged (SHA-1, MD5), shared secrets, which a certificate is not, and escaped names. */
const WEAK_ALGORITHM = /Algorithm\s*=\s*["'][^"']*(?:sha1|md5|hmac|&)[^"']*["']/i;

/** Throws for XML that declares entities, is too large, or is signed by weak algorithms, before a parser reads it. */
export function refuseDangerousXml(xml: string): void {
  if (xml.length > LONGEST_XML) throw new Error("the response is too large");
  if (/<!(?:DOCTYPE|ENTITY)/i.test(xml)) throw new Error("the response has a document type");
  if (WEAK_ALGORITHM.test(xml)) throw new Error("the signature's algorithm is weak");
}

/** The certificates in a text: in PEM, one after the other, or one as bare Base64. */
export function certificatesOf(text: string): string[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g);
  return blocks ?? (text.trim() === "" ? [] : [text.replace(/\s+/g, "")]);
}

/** What a signed assertion says of the request that it answers, and of whom it is meant for. */
export type Confirmation = Readonly<{ inResponseTo: string; recipient: string }>;

/**
 * Reads the only subject confirmation of an assertion whose signature was verified, in the form of xml2js. It must be of a
 * bearer, name the request and the recipient, and expire (SAML 2.0 profiles, 4.1.4.2). Throws when it is not so.
 */
export function bearerConfirmation(parsed: unknown): Confirmation {
  const subjects = childrenOf(childrenOf(parsed, "Assertion")[0], "Subject");
  const confirmations = childrenOf(subjects[0], "SubjectConfirmation");
  const [confirmation] = confirmations;
  if (subjects.length !== 1 || confirmations.length !== 1 || attributeOf(confirmation, "Method") !== BEARER) {
    throw new Error("there is not one bearer confirmation");
  }
  const [data] = childrenOf(confirmation, "SubjectConfirmationData");
  const inResponseTo = attributeOf(data, "InResponseTo");
  const recipient = attributeOf(data, "Recipient");
  if (!inResponseTo || !recipient || !attributeOf(data, "NotOnOrAfter"))
    throw new Error("the confirmation is incomplete");
  return { inResponseTo, recipient };
}

const BEARER = "urn:oasis:names:tc:SAML:2.0:cm:bearer";

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;

function childrenOf(element: unknown, name: string): readonly unknown[] {
  const found = fieldOf(element, name);
  return Array.isArray(found) ? found : found === undefined ? [] : [found];
}

function attributeOf(element: unknown, name: string): string {
  const value = fieldOf(fieldOf(element, "$"), name);
  return typeof value === "string" ? value : "";
}
