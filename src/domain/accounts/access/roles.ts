export const ROLE = { user: 1, admin: 10, root: 100 } as const;
export type RoleName = keyof typeof ROLE;

export const USER_STATUS = { active: 1, banned: 2 } as const;
