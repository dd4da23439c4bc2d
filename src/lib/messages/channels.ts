export const channelMessages = {} as const;
