import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { IdentityProvider, ServiceProvider, setSchemaValidator } from "samlify";

/** What the provider says in an assertion; a text replaces what would be right. */
export type Assertion = Readonly<{
  nameId: string;
  attributes?: Readonly<Record<string, readonly string[]>>;
  format?: string;
  issuer?: string;
  audience?: string;
  recipient?: string;
  inResponseTo?: string;
  /** Minutes from now until it ends. */
  minutes?: number;
  isSigned?: boolean;
}>;

const RSA_SHA256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256";
const POST = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST";
const REDIRECT = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect";
const UNSPECIFIED = "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified";

/** A SAML identity provider on loopback, by the package samlify: parses requests, and signs responses by its key. */
export async function startSamlIdp() {
  // Schemas are the package's own concern; a test needs none.
  setSchemaValidator({ validate: async () => "valid" });
  const { certificate, key } = await makeKey();
  let metadata = "";
  let next: Assertion = { nameId: "nobody" };
  const entityId = "https://idp.acme.example/saml";
  const respond = async (request: URL): Promise<{ response: string; relayState: string }> => {
    const service = ServiceProvider({ metadata });
    const query = Object.fromEntries(request.searchParams);
    // What was signed: the parameters in their order, as they were encoded.
    const octetString = request.search.slice(1).split("&Signature=")[0] ?? "";
    const parsed = await provider.parseLoginRequest(service, "redirect", { query, octetString });
    const requestId = String(parsed.extract.request?.id);
    const xml = () => responseXml(entityId, service.entityMeta.getEntityID(), acsOf(metadata), requestId, next);
    const custom = (_: string) => ({ id: "_r", context: xml() });
    const { context } = await provider.createLoginResponse(service, { ...parsed }, "post", {}, custom);
    const response = next.isSigned === false ? Buffer.from(xml()).toString("base64") : context;
    return { response, relayState: query.RelayState ?? "" };
  };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => Response.json(await respond(new URL(request.url))),
  });
  const provider = IdentityProvider({
    entityID: entityId,
    privateKey: key,
    signingCert: certificate,
    requestSignatureAlgorithm: RSA_SHA256,
    wantAuthnRequestsSigned: true,
    nameIDFormat: [UNSPECIFIED],
    singleSignOnService: [
      { Binding: REDIRECT, Location: `${server.url.origin}/sso` },
      { Binding: POST, Location: `${server.url.origin}/sso` },
    ],
  });
  return {
    certificate,
    entityId,
    entryPoint: `${server.url.origin}/sso`,
    /** Knows a service provider by its metadata. */
    trust(xml: string) {
      metadata = xml;
    },
    /** What the next responses say. */
    say(assertion: Assertion) {
      next = assertion;
    },
    stop: () => server.stop(true),
  };
}

const acsOf = (metadata: string): string => /Location="([^"]+\/acs)"/.exec(metadata)?.[1] ?? "";

let serial = 0;

function responseXml(entityId: string, audience: string, acs: string, requestId: string, assertion: Assertion): string {
  serial += 1;
  const { minutes = 5, issuer = entityId, recipient = acs, inResponseTo = requestId, format = UNSPECIFIED } = assertion;
  const at = (offset: number) => new Date(Date.now() + offset * 60_000).toISOString();
  const attributes = Object.entries(assertion.attributes ?? {}).map(
    ([name, values]) =>
      `<saml:Attribute Name="${name}">${values.map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`).join("")}</saml:Attribute>`,
  );
  return [
    `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"`,
    ` ID="_r${serial}" Version="2.0" IssueInstant="${at(0)}" Destination="${acs}" InResponseTo="${requestId}">`,
    `<saml:Issuer>${issuer}</saml:Issuer>`,
    `<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>`,
    `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_a${serial}" Version="2.0" IssueInstant="${at(Math.min(0, minutes - 5))}">`,
    `<saml:Issuer>${issuer}</saml:Issuer>`,
    `<saml:Subject><saml:NameID Format="${format}">${assertion.nameId}</saml:NameID>`,
    `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">`,
    `<saml:SubjectConfirmationData NotOnOrAfter="${at(minutes)}" Recipient="${recipient}"`,
    inResponseTo === "" ? "/>" : ` InResponseTo="${inResponseTo}"/>`,
    "</saml:SubjectConfirmation></saml:Subject>",
    `<saml:Conditions NotBefore="${at(minutes - 10)}" NotOnOrAfter="${at(minutes)}">`,
    `<saml:AudienceRestriction><saml:Audience>${assertion.audience ?? audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions>`,
    `<saml:AuthnStatement AuthnInstant="${at(0)}"><saml:AuthnContext><saml:AuthnContextClassRef>`,
    "urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>",
    `<saml:AttributeStatement>${attributes.join("")}</saml:AttributeStatement>`,
    "</saml:Assertion></samlp:Response>",
  ].join("");
}

async function makeKey(): Promise<{ certificate: string; key: string }> {
  const folder = await mkdtemp(join(tmpdir(), "saml-"));
  const [key, certificate] = [join(folder, "k.pem"), join(folder, "c.pem")];
  const made = Bun.spawn(
    [
      ...["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=idp"],
      ...["-keyout", key, "-out", certificate],
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  if ((await made.exited) !== 0) throw new Error(`no key: ${await new Response(made.stderr).text()}`);
  const read = (file: string) => Bun.file(file).text();
  const pair = { certificate: await read(certificate), key: await read(key) };
  await rm(folder, { recursive: true });
  return pair;
}
