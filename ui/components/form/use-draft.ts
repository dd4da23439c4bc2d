import { useEffect, useState } from "react";
import { isRecord } from "../../lib/json.ts";
import { readUser } from "../../state/stored-user.ts";
import { draftKey } from "../../state/user-storage.ts";

type Draft = Readonly<{ at: number; values: Readonly<Record<string, unknown>> }>;

type Form = Readonly<Record<string, unknown>>;

type Options = Readonly<{
  /** What is edited; null: the form has no drafts. */
  name: string | null;
  form: Form;
  isDirty: boolean;
  /** Fields that are never stored on this device. */
  secrets: readonly string[];
  change: (values: Form) => void;
}>;

const STORE_AFTER_MS = 400;
const LONGEST_MS = 7 * 86_400_000;

/** What was typed into a form and not saved, on this device: a reload offers it back. */
export function useDraft({ name, form, isDirty, secrets, change }: Options) {
  const user = readUser();
  const key = name !== null && user ? draftKey(user.id, name) : null;
  const [found, setFound] = useState(() => (key === null ? null : readDraft(key)));
  const values = Object.fromEntries(Object.entries(form).filter(([field]) => !secrets.includes(field)));
  const text = JSON.stringify(values);
  useEffect(() => {
    if (key === null || !isDirty) return;
    const timer = setTimeout(() => store(key, text), STORE_AFTER_MS);
    return () => clearTimeout(timer);
  }, [key, isDirty, text]);
  const forget = () => {
    if (key !== null) localStorage.removeItem(key);
    setFound(null);
  };
  return {
    /** When the draft was typed that is offered, in epoch milliseconds; null: there is none. */
    offeredAt: isDirty ? null : (found?.at ?? null),
    restore: () => {
      // Fields that the form no longer has are left out.
      if (found) change(Object.fromEntries(Object.entries(found.values).filter(([field]) => field in form)));
      setFound(null);
    },
    forget,
  };
}

function readDraft(key: string): Draft | null {
  try {
    const draft: unknown = JSON.parse(localStorage.getItem(key) ?? "null");
    if (!isRecord(draft) || typeof draft.at !== "number" || !isRecord(draft.values)) return null;
    return Date.now() - draft.at < LONGEST_MS ? { at: draft.at, values: draft.values } : null;
  } catch {
    return null;
  }
}

function store(key: string, values: string): void {
  try {
    localStorage.setItem(key, `{"at":${Date.now()},"values":${values}}`);
  } catch {
    // No room: the form goes on without a draft.
  }
}
