/** Names a value in a secret manager: `secret://MANAGER/PATH#FIELD`. */
export type SecretReference = Readonly<{
  /** As it was written, for messages. */
  text: string;
  manager: Manager;
  /** The secret's name in its manager, decoded, without a slash at either end. */
  path: string;
  /** A field of the secret; null: the whole secret. */
  field: string | null;
}>;

const MANAGERS = ["vault", "aws", "gcp"] as const;
type Manager = (typeof MANAGERS)[number];

const SCHEME = "secret://";

/** A reference is malformed, or can't be resolved; the message names the reference, never a value. */
export class SecretReferenceError extends Error {
  override name = "SecretReferenceError";

  constructor(
    readonly reference: string,
    readonly reason: string,
  ) {
    super(`${reference}: ${reason}`);
  }
}

/** Whether a text is meant as a reference rather than as a secret itself. */
export const isSecretReference = (text: string): boolean => text.startsWith(SCHEME);

/** Reads a reference. Throws SecretReferenceError where its form is wrong. */
export function parseReference(text: string): SecretReference {
  const [address = "", fragment] = text.slice(SCHEME.length).split("#", 2);
  const [name = "", ...segments] = address.split("/");
  const manager = MANAGERS.find((known) => known === name);
  if (!manager) throw new SecretReferenceError(text, `the secret manager must be one of ${MANAGERS.join(", ")}`);
  try {
    const path = segments
      .map(decodeURIComponent)
      .join("/")
      .replace(/^\/+|\/+$/g, "");
    if (path === "") throw new SecretReferenceError(text, "it names no secret");
    const field = fragment ? decodeURIComponent(fragment) : null;
    if (manager === "vault" && (field === null || !path.includes("/"))) {
      throw new SecretReferenceError(text, "it must have the form secret://vault/MOUNT/PATH#FIELD");
    }
    return { text, manager, path, field };
  } catch (error) {
    if (error instanceof URIError) throw new SecretReferenceError(text, "it is not percent-encoded correctly");
    throw error;
  }
}

/**
 * The value that a reference names in its secret, whose content is a text or an object's JSON. Throws SecretReferenceError
 * where there is none.
 */
export function valueIn({ text, field }: SecretReference, content: string): string {
  const value = (field === null ? content : textIn(content, field))?.trim();
  if (value) return value;
  throw new SecretReferenceError(text, field === null ? "the secret is empty" : `the secret has no text in "${field}"`);
}

function textIn(content: string, field: string): string | null {
  const fields = objectIn(content);
  const value = fields && Object.hasOwn(fields, field) ? fields[field] : null;
  return typeof value === "string" ? value : null;
}

/** The object that a JSON text holds; null: it holds none. */
export function objectIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return null;
  }
}

/** The value as an object of unknown members; null: it is none. */
export const asObject = (value: unknown): Readonly<Record<string, unknown>> | null =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
