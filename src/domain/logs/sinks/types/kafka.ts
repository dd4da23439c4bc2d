import { connect as connectPlain, isIP } from "node:net";
import { checkServerIdentity, connect as connectTls, type PeerCertificate } from "node:tls";
import type { ISocketFactory, SASLOptions } from "kafkajs";
import type { DestinationConfig } from "../destination-config.ts";
import type { SinkDeps, SinkType } from "../sink-type.ts";

const BROKERS = /^[\w.-]+:\d{1,5}(?:\s*,\s*[\w.-]+:\d{1,5})*$/;
const TIMEOUT_MS = 20_000;

/** Messages of a topic; the key is the call's id, and all replicas in sync have confirmed them. */
export const kafka: SinkType = {
  fields: [
    { name: "brokers", format: BROKERS },
    { name: "topic", format: /^[\w.-]{1,249}$/ },
    { name: "security", format: /^(?:plaintext|tls)$/, isOptional: true },
    { name: "mechanism", format: /^(?:plain|scram-sha-256|scram-sha-512)$/, isOptional: true },
    { name: "user", format: /^.{1,200}$/, isOptional: true },
    { name: "password", format: /^.{1,400}$/, isSecret: true, isOptional: true },
  ],
  maxCalls: 2000,
  target: ({ brokers = "", topic = "" }) => `${brokers.split(",")[0]?.trim() ?? ""}/${topic}`,
  async send(config, { calls }, deps) {
    // Loaded only where it is used.
    const { Kafka, logLevel } = await import("kafkajs");
    const client = new Kafka({
      clientId: "sluice",
      brokers: (config.brokers ?? "").split(",").map((broker) => broker.trim()),
      ssl: config.security === "tls",
      sasl: saslOf(config),
      logLevel: logLevel.NOTHING,
      connectionTimeout: TIMEOUT_MS / 4,
      requestTimeout: TIMEOUT_MS / 2,
      // The export itself tries again, from the stored position.
      retry: { retries: 1, initialRetryTime: 100 },
      socketFactory: checkedSocket(deps),
    });
    const producer = client.producer({ allowAutoTopicCreation: false });
    try {
      await producer.connect();
      await producer.send({
        topic: config.topic ?? "",
        acks: -1,
        messages: calls.map((call) => ({ key: call.id, value: JSON.stringify(call) })),
      });
    } finally {
      await producer.disconnect().catch(() => {});
    }
  },
};

function saslOf({ mechanism = "plain", user, password = "" }: DestinationConfig): SASLOptions | undefined {
  if (user === undefined) return undefined;
  if (mechanism === "scram-sha-256" || mechanism === "scram-sha-512") return { mechanism, username: user, password };
  return { mechanism: "plain", username: user, password };
}

/** Connects only to addresses that the outbound policy allows, also those that brokers announce. */
const checkedSocket =
  ({ resolve }: SinkDeps): ISocketFactory =>
  ({ host, port, ssl, onConnect }) => {
    const lookup = (_: string, __: unknown, done: (error: Error | null, addresses: LookupAddress[]) => void) =>
      void resolve(host).then(
        (addresses) =>
          done(
            null,
            addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
          ),
        (error: Error) => done(error, []),
      );
    // Addresses are not looked up, so the socket gets a name, and its lookup answers for the broker.
    const target = { host: "broker.invalid", port, lookup };
    // The certificate is the broker's, by its name or its address; addresses are sent in no SNI (RFC 6066, section 3).
    const tls = {
      servername: isIP(host) ? "" : host,
      checkServerIdentity: (_: string, certificate: PeerCertificate) => checkServerIdentity(host, certificate),
    };
    return ssl ? connectTls({ ...target, ...tls, ...ssl }, onConnect) : connectPlain(target, onConnect);
  };

type LookupAddress = { address: string; family: number };
