import { OperationError } from "../../../lib/operation-error.ts";
import type { Logger } from "../../../lib/runtime/log.ts";
import { isSecretReference, SecretReferenceError } from "../../../lib/security/secret-references/reference.ts";
import type { SecretReader } from "../../../lib/security/secret-references/secret-reader.ts";

/** What a reference is known to stand for: its value, or why there is none. */
export type Resolved = Readonly<{ value: string }> | Readonly<{ reason: string }>;

/** The values of the channel keys that are references to a secret manager, in memory. */
export type KeyReferences = Readonly<{
  /** How often values are read again, in milliseconds. */
  refreshMs: number;
  /**
   * Reads those of the stored keys that are references, where their time is over. A value that can't be read again stays.
   * Returns the references whose value has changed.
   */
  load(storedKeys: Iterable<string>): Promise<ReadonlySet<string>>;
  /** Null: the stored key is the key itself. */
  find(storedKey: string): Resolved | null;
}>;

const NOT_READ: Resolved = { reason: "no secret manager has been asked yet" };
/** References that can't be resolved are tried again at least so often. */
const MOST_REFRESH_MS = 15_000;

/** Keeps what references stand for. `secrets`: absent where none are to be resolved. */
export function createKeyReferences(secrets: SecretReader | undefined, log: Logger): KeyReferences {
  const known = new Map<string, Resolved>();

  async function readAgain(secrets: SecretReader, reference: string): Promise<boolean> {
    const before = known.get(reference);
    try {
      const value = await secrets.read(reference);
      known.set(reference, { value });
      return before !== undefined && (!("value" in before) || before.value !== value);
    } catch (error) {
      if (!(error instanceof SecretReferenceError)) throw error;
      if (before === undefined || "value" in before)
        log.warn({ reference }, `a channel key can't be resolved: ${error.message}`);
      if (before === undefined || "reason" in before) known.set(reference, { reason: error.reason });
      return false;
    }
  }
  return {
    refreshMs: Math.min(secrets?.refreshMs ?? MOST_REFRESH_MS, MOST_REFRESH_MS),
    async load(storedKeys) {
      const references = [...new Set(storedKeys)].filter(isSecretReference);
      if (!secrets || references.length === 0) return NONE;
      const changed = await Promise.all(references.map((reference) => readAgain(secrets, reference)));
      return new Set(references.filter((_, index) => changed[index]));
    },
    find: (storedKey) => (isSecretReference(storedKey) ? (known.get(storedKey) ?? NOT_READ) : null),
  };
}

/** The key itself where a reference is stored in its place. Rejects OperationError where it can't be resolved. */
export async function resolveKey(secrets: SecretReader | undefined, storedKey: string): Promise<string> {
  if (!secrets || !isSecretReference(storedKey)) return storedKey;
  return secrets.read(storedKey).catch((error) => {
    if (!(error instanceof SecretReferenceError)) throw error;
    throw new OperationError("channel_key_unresolved", { reference: error.reference, reason: error.reason });
  });
}

const NONE: ReadonlySet<string> = new Set();
