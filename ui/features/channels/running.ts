/** What has an action under way, channels by id or tags by name: one at a time each. */
export type Running<Id> = Readonly<{
  /** Runs the action unless one is under way for that id; returns false when it was not started. */
  run(id: Id, action: () => Promise<void>): boolean;
}>;

export function createRunning<Id extends string | number = number>(): Running<Id> {
  const ids = new Set<Id>();
  return {
    run(id, action) {
      if (ids.has(id)) return false;
      ids.add(id);
      void action().finally(() => ids.delete(id));
      return true;
    },
  };
}
