/** Channels with an action under way: one at a time each. */
export type Running = Readonly<{
  /** Runs the action unless one is under way for that id; returns false when it was not started. */
  run(id: number, action: () => Promise<void>): boolean;
}>;

export function createRunning(): Running {
  const ids = new Set<number>();
  return {
    run(id, action) {
      if (ids.has(id)) return false;
      ids.add(id);
      void action().finally(() => ids.delete(id));
      return true;
    },
  };
}
