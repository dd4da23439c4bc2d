import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { isoCBOR } from "@simplewebauthn/server/helpers";

type Options = Readonly<{ challenge: string; rp?: Readonly<{ id?: string }>; rpId?: string }>;
type Behavior = Readonly<{ origin: string; isUserVerified?: boolean; rpId?: string }>;

const FLAG = { present: 1, verified: 4, attested: 64 };

/** A passkey in software: makes one credential and signs with it, or lies as a test asks it to. */
export function createAuthenticator() {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const id = randomBytes(16);
  const jwk = publicKey.export({ format: "jwk" });
  const cose = new Map<number, number | Uint8Array>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, new Uint8Array(Buffer.from(jwk.x ?? "", "base64url"))],
    [-3, new Uint8Array(Buffer.from(jwk.y ?? "", "base64url"))],
  ]);
  let counter = 0;

  const clientData = (type: string, { challenge }: Options, { origin }: Behavior) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const authenticatorData = (rpId: string, isUserVerified: boolean, attested?: Buffer) => {
    counter += 1;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    const flags = FLAG.present | (isUserVerified ? FLAG.verified : 0) | (attested ? FLAG.attested : 0);
    const rpHash = createHash("sha256").update(rpId).digest();
    return Buffer.concat([rpHash, Buffer.from([flags]), count, attested ?? Buffer.alloc(0)]);
  };
  const credential = (response: Record<string, unknown>) => ({
    id: id.toString("base64url"),
    rawId: id.toString("base64url"),
    type: "public-key",
    clientExtensionResults: {},
    response,
  });
  return {
    register(options: Options, behavior: Behavior) {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const attested = Buffer.concat([Buffer.alloc(16), length, id, Buffer.from(isoCBOR.encode(cose))]);
      const rpId = behavior.rpId ?? options.rp?.id ?? "";
      const data = authenticatorData(rpId, behavior.isUserVerified ?? true, attested);
      const statement = new Map<string, unknown>([
        ["fmt", "none"],
        ["attStmt", new Map()],
        ["authData", new Uint8Array(data)],
      ]);
      return credential({
        clientDataJSON: clientData("webauthn.create", options, behavior).toString("base64url"),
        attestationObject: Buffer.from(isoCBOR.encode(statement as never)).toString("base64url"),
        transports: ["internal"],
      });
    },
    signIn(options: Options, behavior: Behavior) {
      const data = authenticatorData(behavior.rpId ?? options.rpId ?? "", behavior.isUserVerified ?? true);
      const client = clientData("webauthn.get", options, behavior);
      const signed = Buffer.concat([data, createHash("sha256").update(client).digest()]);
      return credential({
        clientDataJSON: client.toString("base64url"),
        authenticatorData: data.toString("base64url"),
        signature: sign("sha256", signed, privateKey).toString("base64url"),
      });
    },
  };
}
