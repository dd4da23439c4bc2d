const CODE = /^[a-z0-9_]{4,16}$/;

/** What is wrong with an invitation code that somebody chooses; undefined: nothing. */
export function inviteCodeError(text: string): "invite_code_required" | "invite_code_malformed" | undefined {
  const code = text.trim();
  if (code === "") return "invite_code_required";
  return CODE.test(code) ? undefined : "invite_code_malformed";
}
