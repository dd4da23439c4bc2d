/** How many calls each channel works on at the moment. */
export type InFlight = { begin(channelId: number): void; end(channelId: number): void; of(channelId: number): number };

export function createInFlight(): InFlight {
  const counts = new Map<number, number>();
  return {
    begin: (channelId) => void counts.set(channelId, (counts.get(channelId) ?? 0) + 1),
    end(channelId) {
      const left = (counts.get(channelId) ?? 0) - 1;
      if (left > 0) counts.set(channelId, left);
      else counts.delete(channelId);
    },
    of: (channelId) => counts.get(channelId) ?? 0,
  };
}
