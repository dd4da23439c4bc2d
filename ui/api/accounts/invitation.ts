const STORAGE_KEY = "aff";

/** Stores the code of an invitation link until somebody registers on this device. */
export const rememberInvitation = (code: string): void => localStorage.setItem(STORAGE_KEY, code);

/** The code of the last invitation link; "" without one. */
export const rememberedInvitation = (): string => localStorage.getItem(STORAGE_KEY) ?? "";
