import Box from "@mui/material/Box";
import { type QueryFilters, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { FieldValues } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { FormDialog } from "../feedback/FormDialog.tsx";
import { FormDrawer } from "../feedback/FormDrawer.tsx";
import { notifyDone } from "../feedback/notify.tsx";
import { Section } from "../feedback/SideDrawer.tsx";
import { Col } from "../layout.tsx";
import { DraftOffer } from "./DraftOffer.tsx";
import { FormFields } from "./FormFields.tsx";
import type { AnyEntry, FormSection } from "./form-fields.ts";
import { type Manageable, ManagedFields, useManaged } from "./Managed.tsx";
import { useCheckedForm } from "./use-checked-form.ts";
import { useDraft } from "./use-draft.ts";

/** How a resource is created and edited. */
export type ResourceFormProps<Form extends FieldValues> = Readonly<{
  /** A dialog is for a few fields. */
  as?: "drawer" | "dialog";
  title: string;
  subtitle?: ReactNode;
  /** The verb on the button that saves. */
  action: string | ((form: Form) => string);
  /** It adds something, which may be saved as it is offered; an edit needs a change first. */
  isNew: boolean;
  /** Enter in a field of one line saves it; always in a dialog. */
  isShort?: boolean;
  /** What is typed into a drawer survives a reload, on this device; passwords and secrets do not. */
  hasDraft?: boolean;
  /** The reader may not change it. */
  isReadOnly?: boolean;
  /** What files of the site's configuration may manage. */
  resource?: Manageable | null;
  /** The key of the text of a name, by which a field has its label and hint. */
  text: (name: string) => string;
  /** Initial values; only those of the first render count. */
  initial: Form;
  /** The error code of each invalid field. */
  check?: (form: Form) => Partial<Record<keyof Form, string | undefined>>;
  /** What an error says; if not given, the text "errors.CODE". */
  fault?: (code: string, field: keyof Form & string, form: Form) => string;
  /** Fields checked on every change; the others are from the first attempt to save on. */
  eager?: readonly (keyof Form & string)[];
  /** Whether there is something to save, where values can differ without a change that counts. */
  isChanged?: (form: Form, initial: Form) => boolean;
  /** Whether it can be saved; wrong fields show that themselves. */
  isComplete?: (form: Form) => boolean;
  /** What a change of fields changes too. */
  follow?: (changed: Partial<Form>, form: Form) => Partial<Form>;
  /** Saves; resolves with what is said to the user, if anything. */
  save: (form: Form, initial: Form) => Promise<string | undefined>;
  /** What is read again after that, also when the server rejected it. */
  reload: readonly QueryFilters[];
  /** The field that shows why the server rejected it, by the error's code; without it, a toast does. */
  rejectedField?: (code: string) => keyof Form & string;
  /** The fields, by what they hold now. */
  sections: (
    form: Form,
    change: (fields: Partial<Form>) => void,
    faults: Faults<Form>,
  ) => readonly (FormSection<Form> | false | null)[];
  /** Stands at the left of a drawer's buttons. */
  note?: ReactNode;
  onClose: () => void;
}>;

/** The fields that no draft has. */
const secretsOf = (fields: readonly AnyEntry[]): string[] =>
  fields.flatMap((entry) =>
    entry && typeof entry === "object" && "kind" in entry && (entry.kind === "secret" || entry.kind === "password")
      ? [entry.field]
      : [],
  );

type Faults<Form> = Readonly<Partial<Record<keyof Form, string>>>;

/** Draws the form of a resource from its description: its fields, what is wrong with them, and how it is saved. */
export function ResourceForm<Form extends FieldValues>(props: ResourceFormProps<Form>) {
  const { text, onClose, rejectedField, follow, isChanged, isComplete = () => true } = props;
  const { t } = useTranslation();
  const client = useQueryClient();
  const managed = useManaged()(props.resource ?? null);
  const isReadOnly = props.isReadOnly || managed?.isLocked || false;
  const state = useCheckedForm<Form>({
    initial: props.initial,
    ...(props.check && { check: props.check }),
    ...(props.eager && { eager: props.eager }),
    rejection: rejectedField ? "inline" : "toast",
    send: async (form) => {
      try {
        const done = await props.save(form, state.initial);
        if (done !== undefined) notifyDone(done);
        close();
      } finally {
        for (const filters of props.reload) void client.invalidateQueries(filters);
      }
    },
  });
  const { form, initial, faults, problem, problemCode, isSaving, submit, body } = state;
  const change = (fields: Partial<Form>) => state.change({ ...fields, ...follow?.(fields, form) });
  const described = props.sections(form, change, faults);
  const draft = useDraft({
    name: props.hasDraft ? props.title : null,
    form,
    isDirty: state.isDirty,
    secrets: described.flatMap((section) => (section ? secretsOf(section.fields as readonly AnyEntry[]) : [])),
    change: (values) => state.change(values as Partial<Form>),
  });
  const close = () => {
    draft.forget();
    onClose();
  };
  const faultText = props.fault ?? ((code: string) => t(text(`errors.${code}`)));
  const errorOf = (field: keyof Form & string): string | undefined => {
    const code = faults[field];
    if (code !== undefined) return faultText(code, field, form);
    return problem !== null && rejectedField?.(problemCode) === field ? problem : undefined;
  };
  const context = {
    values: form,
    set: (field: string, value: unknown) => change({ [field]: value } as Partial<Form>),
    text,
    errorOf,
    isReadOnly,
  };
  const sections = described.map((section) => {
    if (!section) return null;
    const { title, hint, error, fields } = section;
    const content = (
      <>
        {error && (
          <Box role="alert" sx={{ fontSize: 12, color: "tone.bad.text" }}>
            {error}
          </Box>
        )}
        <FormFields fields={fields as readonly AnyEntry[]} context={context} />
      </>
    );
    if (title === undefined)
      return (
        <Col key="" gap={4}>
          {content}
        </Col>
      );
    return (
      <Section key={title} title={title} hint={hint}>
        {content}
      </Section>
    );
  });
  const action = typeof props.action === "string" ? props.action : props.action(form);
  if (props.as === "dialog")
    return (
      <FormDialog
        title={props.title}
        action={action}
        isBusy={isSaving}
        isDisabled={!isComplete(form) || isReadOnly}
        onClose={close}
        onSubmit={submit}
      >
        <DraftOffer draft={draft} />
        <Box ref={body}>
          <ManagedFields managed={managed}>{sections}</ManagedFields>
        </Box>
      </FormDialog>
    );
  return (
    <FormDrawer
      state={state}
      title={props.title}
      subtitle={props.subtitle}
      action={action}
      isNew={props.isNew}
      isShort={props.isShort ?? false}
      isReadOnly={isReadOnly}
      isComplete={isComplete(form)}
      {...(isChanged && { isDirty: isChanged(form, initial) })}
      note={props.note}
      onClose={close}
    >
      <DraftOffer draft={draft} />
      <ManagedFields managed={managed}>{sections}</ManagedFields>
    </FormDrawer>
  );
}
