import { createAddressPolicy } from "../../outbound/address-policy.ts";
import { createSafeFetch } from "../../outbound/safe-fetch.ts";
import { recentEntries } from "../../values/tables/recent-entries.ts";
import type { ReadSecret } from "./managers.ts";
import {
  type AwsOptions,
  createAwsReader,
  createGcpReader,
  createVaultReader,
  type GcpOptions,
  type VaultOptions,
} from "./managers.ts";
import { parseReference, type SecretReference, valueIn } from "./reference.ts";

export type SecretManagers = Readonly<{
  /** Milliseconds after which a secret is read again. */
  refreshMs: number;
  vault: VaultOptions;
  aws: AwsOptions;
  gcp: GcpOptions;
}>;

/** Reads the values of references. */
export type SecretReader = Readonly<{
  refreshMs: number;
  /** The value, at most `refreshMs` old. Rejects SecretReferenceError; a failure is not cached. */
  read(reference: string): Promise<string>;
}>;

const MOST_SECRETS = 10_000;

/** Opens the secret managers that the configuration names; each is first asked when a reference needs it. */
export function createSecretReader(managers: SecretManagers): SecretReader {
  // The operator's own environment names these addresses, which are usually private.
  const fetch = createSafeFetch(createAddressPolicy(true));
  const readers: Readonly<Record<SecretReference["manager"], ReadSecret>> = {
    vault: createVaultReader(managers.vault, fetch),
    aws: createAwsReader(managers.aws, fetch),
    gcp: createGcpReader(managers.gcp, fetch),
  };
  // References to several fields of a secret share one request.
  const secrets = recentEntries<string, Promise<string>>(MOST_SECRETS, managers.refreshMs);
  return {
    refreshMs: managers.refreshMs,
    async read(text) {
      const reference = parseReference(text);
      const name = `${reference.manager}/${reference.path}`;
      const known = secrets.get(name);
      const content = known ?? readers[reference.manager](reference);
      if (!known) {
        secrets.set(name, content);
        content.catch(() => secrets.delete(name));
      }
      return valueIn(reference, await content);
    },
  };
}
