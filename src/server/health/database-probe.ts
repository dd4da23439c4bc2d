/** Load balancers give up on a probe within half a second; calls are served while the database is silent. */
const PROMPT_MS = 200;
/** A database that does not answer within this is not there. */
const SILENT_AFTER_MS = 2000;

/**
 * Whether the database answers, decided within 200 ms: of one that takes longer, what is known of it until it has been silent for
 * 2 s. Never rejects. One question is under way at a time.
 */
export function createDatabaseProbe(ask: () => Promise<unknown>): () => Promise<boolean> {
  let answers = true;
  let asking: Promise<boolean> | null = null;

  const probe = async (): Promise<boolean> => {
    const silent = setTimeout(() => {
      answers = false;
    }, SILENT_AFTER_MS);
    answers = await ask().then(
      () => true,
      () => false,
    );
    clearTimeout(silent);
    asking = null;
    return answers;
  };
  return () => {
    asking ??= probe();
    return Promise.race([asking, Bun.sleep(PROMPT_MS).then(() => answers)]);
  };
}
