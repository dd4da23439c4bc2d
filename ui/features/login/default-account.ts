const DEFAULT_ACCOUNT = { username: "root", password: "123456" };

/** Whether somebody signed in with the account that every installation of this family once started with. */
export const isDefaultAccount = (username: string, password: string): boolean =>
  username === DEFAULT_ACCOUNT.username && password === DEFAULT_ACCOUNT.password;
