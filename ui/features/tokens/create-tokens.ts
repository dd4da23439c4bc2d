import type { Token } from "./token.ts";
import { createToken } from "./token-calls.ts";
import { batchNames, bodyOf, type TokenForm } from "./token-form.ts";

export type Created = Readonly<{ created: Token[] /** What ended the batch early. */; error: Error | null }>;

/** Creates as many keys as the form says, one after the other. Throws when not even the first could be made. */
export async function createTokens(form: TokenForm): Promise<Created> {
  const created: Token[] = [];
  for (const name of batchNames(form.name, Number(form.quantity))) {
    try {
      created.push(await createToken(bodyOf(form, name)));
    } catch (error) {
      if (created.length === 0) throw error;
      return { created, error: error instanceof Error ? error : new Error(String(error)) };
    }
  }
  return { created, error: null };
}
