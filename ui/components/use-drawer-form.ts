import { useRef, useState } from "react";
import { notifyError } from "./notify.tsx";

type Saving = Readonly<{
  /** Sends what was filled in and closes; what it rejects with is shown, and the form stays. */
  send: () => Promise<void>;
  /** Before the first fault is scrolled to. */
  onFaulty?: () => void;
  /** Asked once there is no fault. */
  mayBeSent?: () => Promise<boolean>;
}>;

/**
 * A form that tells what is wrong from the first attempt to save on, and sends nothing before nothing is wrong.
 * `body` goes to the element around the fields; `makeInitial` is called once.
 */
export function useDrawerForm<Form extends object, Fault extends string>(
  makeInitial: () => Form,
  faultsOf: (form: Form) => Partial<Record<keyof Form, Fault>>,
) {
  const body = useRef<HTMLDivElement>(null);
  const [initial] = useState(makeInitial);
  const [form, setForm] = useState(initial);
  const [isChecked, setChecked] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const save = async ({ send, onFaulty, mayBeSent }: Saving) => {
    setChecked(true);
    if (Object.keys(faultsOf(form)).length > 0) {
      onFaulty?.();
      requestAnimationFrame(() => body.current?.querySelector('[role="alert"]')?.scrollIntoView({ block: "center" }));
      return;
    }
    if (mayBeSent && !(await mayBeSent())) return;
    setSaving(true);
    try {
      await send();
    } catch (error) {
      notifyError(error);
      setSaving(false);
    }
  };
  const faults: Partial<Record<keyof Form, Fault>> = isChecked ? faultsOf(form) : {};
  const change = (fields: Partial<Form>) => setForm((now) => ({ ...now, ...fields }));
  return { body, initial, form, change, faults, isSaving, save };
}
