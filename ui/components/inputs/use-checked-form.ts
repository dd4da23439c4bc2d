import { useEffect, useRef, useState } from "react";
import {
  type DefaultValues,
  type FieldErrors,
  type FieldValues,
  type Path,
  type PathValue,
  useForm,
} from "react-hook-form";
import { notifyError } from "../feedback/notify.tsx";

type Faults<Form, Fault> = Partial<Record<keyof Form, Fault>>;

type Options<Form, Fault> = Readonly<{
  /** What the form starts from; only the first one counts. */
  initial: Form;
  /** The name of each field's fault; without it, whatever is filled in can be sent. */
  check?: (form: Form) => Faults<Form, Fault>;
  /** Sends what was filled in, and closes. What it rejects with is shown, and the form stays. */
  send: (form: Form) => Promise<unknown>;
  /** Runs before the first fault is scrolled to. */
  onFaulty?: () => void;
  /** Asks whether a form without fault is sent. */
  mayBeSent?: (form: Form) => Promise<boolean>;
  /** Fields whose fault is shown as they change; those of the others show from the first attempt to send on. */
  eager?: readonly (keyof Form)[];
  /** The form stays after it is sent, and is as it was at first. */
  staysOpen?: boolean;
  /** Where a rejection is shown: in a toast, the usual, or by the form itself, which gets it as `problem`. */
  rejection?: "toast" | "inline";
}>;

/**
 * The state of a form: its values, what is wrong with them, and sending them once nothing is. `body` goes to the element
 * around the fields, `submit` to the form or its button. `isSaving` stays true once the form is sent.
 */
export function useCheckedForm<Form extends FieldValues, Fault extends string = string>(options: Options<Form, Fault>) {
  const { check, send, onFaulty, mayBeSent, eager = [], rejection = "toast", staysOpen = false } = options;
  const body = useRef<HTMLDivElement>(null);
  const [initial] = useState(options.initial);
  const { watch, setValue, trigger, setError, handleSubmit, reset, formState } = useForm<Form>({
    defaultValues: initial as DefaultValues<Form>,
    shouldFocusError: false,
    resolver: (values) => {
      const errors = Object.entries(check?.(values) ?? {}).map(([field, fault]) => [field, { type: fault }]);
      return errors.length === 0
        ? { values, errors: {} }
        : { values: {}, errors: Object.fromEntries(errors) as FieldErrors<Form> };
    },
  });
  const { errors, isSubmitted, isSubmitting, isSubmitSuccessful } = formState;
  useEffect(() => {
    if (staysOpen && isSubmitSuccessful) reset();
  }, [staysOpen, isSubmitSuccessful, reset]);
  const change = (fields: Partial<Form>) => {
    const names = Object.keys(fields) as Path<Form>[];
    for (const name of names) setValue(name, fields[name] as PathValue<Form, Path<Form>>);
    // A fault may depend on another field.
    const checked = isSubmitted ? undefined : names.filter((name) => eager.includes(name));
    if (checked?.length !== 0) void trigger(checked);
  };
  const onSent = async (values: Form) => {
    if (mayBeSent && !(await mayBeSent(values))) return setError("root.kept", { type: "kept" });
    try {
      await send(values);
    } catch (error) {
      setError("root.rejected", { message: error instanceof Error ? error.message : String(error) });
      if (rejection === "toast") notifyError(error);
    }
  };
  const onFaults = () => {
    onFaulty?.();
    requestAnimationFrame(() => body.current?.querySelector('[role="alert"]')?.scrollIntoView({ block: "center" }));
  };
  const { root, ...fieldErrors } = errors;
  const faults = Object.fromEntries(Object.entries(fieldErrors).map(([field, error]) => [field, error?.type]));
  return {
    body,
    initial,
    form: watch(),
    change,
    faults: faults as Faults<Form, Fault>,
    /** Why the last attempt was rejected; null: it was not. */
    problem: root?.rejected?.message ?? null,
    isSaving: isSubmitting || isSubmitSuccessful,
    submit: handleSubmit(onSent, onFaults),
  };
}
