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

type Errors<Form> = Partial<Record<keyof Form, string | undefined>>;

type Options<Form, Found extends Errors<Form>> = Readonly<{
  /** Initial values; only those of the first render count. */
  initial: Form;
  /** Returns the error code of each invalid field, undefined for a valid one; without it, every input is valid. */
  check?: (form: Form) => Found;
  /** Submits the values and closes the form. A rejection is shown, and the form stays open. */
  send: (form: Form) => Promise<unknown>;
  /** Runs before the form scrolls to the first error. */
  onFaulty?: () => void;
  /** Fields validated on every change; the others are validated from the first submit on. */
  eager?: readonly (keyof Form)[];
  /** The form stays open after it is submitted and is reset. */
  staysOpen?: boolean;
  /** Where a rejection is shown: in a toast (default), or by the form itself, from `problem`. */
  rejection?: "toast" | "inline";
}>;

/**
 * The state of a form: values, errors and submission. Pass `body` to the element around the fields and `submit` to the
 * form or its button. `isSaving` stays true after a successful submit.
 */
export function useCheckedForm<Form extends FieldValues, Found extends Errors<Form> = Errors<Form>>(
  options: Options<Form, Found>,
) {
  const { check, send, onFaulty, eager = [], rejection = "toast", staysOpen = false } = options;
  const body = useRef<HTMLDivElement>(null);
  const [initial] = useState(options.initial);
  const { watch, setValue, trigger, setError, handleSubmit, reset, formState } = useForm<Form>({
    defaultValues: initial as DefaultValues<Form>,
    shouldFocusError: false,
    resolver: (values) => {
      const errors = Object.entries(check?.(values) ?? {}).flatMap(([field, fault]) =>
        fault === undefined ? [] : [[field, { type: fault }]],
      );
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
    // An error may depend on another field.
    const checked = isSubmitted ? undefined : names.filter((name) => eager.includes(name));
    if (checked?.length !== 0) void trigger(checked);
  };
  const onSent = async (values: Form) => {
    try {
      await send(values);
    } catch (error) {
      setError("root.rejected", {
        type: codeOf(error),
        message: error instanceof Error ? error.message : String(error),
      });
      if (rejection === "toast") notifyError(error);
      else showFirstError();
    }
  };
  const showFirstError = () =>
    requestAnimationFrame(() => body.current?.querySelector('[role="alert"]')?.scrollIntoView({ block: "center" }));
  const onFaults = () => {
    onFaulty?.();
    showFirstError();
  };
  const { root, ...fieldErrors } = errors;
  const faults = Object.fromEntries(Object.entries(fieldErrors).map(([field, error]) => [field, error?.type]));
  const form = watch();
  return {
    body,
    initial,
    form,
    /** The values differ from the initial ones. */
    isDirty: JSON.stringify(form) !== JSON.stringify(initial),
    change,
    faults: faults as Partial<Record<keyof Form, NonNullable<Found[keyof Found]>>>,
    /** Why the last submit was rejected; null: it was not. */
    problem: root?.rejected?.message ?? null,
    /** The server's code of that, if it sent one: by it a form finds the field. */
    problemCode: root?.rejected ? String(root.rejected.type) : "",
    isSaving: isSubmitting || isSubmitSuccessful,
    submit: handleSubmit(onSent, onFaults),
  };
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
