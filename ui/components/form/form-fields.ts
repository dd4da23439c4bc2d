import type { ReactElement, ReactNode } from "react";

/** The fields of a form whose values are of a type. */
type Named<Form, Value> = {
  [Name in keyof Form & string]-?: Form[Name] extends Value | undefined ? Name : never;
}[keyof Form & string];

type Common = Readonly<{
  /** Its name; if not given, the text named like the field. */
  label?: string | undefined;
  /** What it does; true: the text named like the field with "Hint". */
  hint?: ReactNode;
  /** Stands next to the label: that it may be empty. */
  optional?: string | false | undefined;
  /** What is wrong with it now, where that is shown without an attempt to save. */
  error?: string | false | undefined;
  isDisabled?: boolean | undefined;
}>;

/** A text: `number` and `integer` are of digits, `secret` is not shown, `password` can be. */
export type TextField<Name> = Common &
  Readonly<{
    kind: "text" | "number" | "integer" | "secret" | "password";
    field: Name;
    placeholder?: string | undefined;
    autoFocus?: boolean;
    /** Of all characters, not of code units. */
    maxCharacters?: number;
    /** What can be chosen instead of typed. */
    suggestions?: readonly string[];
    /** Lines shown while it is empty; it grows with its text, up to `maxRows`. */
    rows?: number;
    maxRows?: number;
    /** Code: in letters of one width, without a spelling check. */
    isCode?: boolean;
    /** The browser's type of input, such as "time". */
    type?: string;
    /** Pixels; the whole width, if not given. */
    width?: number;
    /** Stands inside the field, at its end: a unit, or a button. */
    end?: ReactNode;
    /** Chips that set it. */
    picks?: readonly number[];
  }>;

/** Quota units with their value in dollars; `picks` are dollars. */
type QuotaField<Name> = Common & Readonly<{ kind: "quota"; field: Name; picks?: readonly number[] }>;

/** A value, how it is named, and whether it can't be chosen. */
type Option<Value> = readonly [value: Value, text: ReactNode, isDisabled?: boolean];

/** One of several values: `select` lists them, `choice` shows all in a row. `shown` names the chosen one, if not its text. */
type SelectField<Name, Value> = Common &
  Readonly<{
    kind: "select" | "choice";
    field: Name;
    options: readonly Option<Value>[];
    shown?: (value: string) => ReactNode;
  }>;

/** Any number of a few values, side by side. */
type SeveralField<Name, Value> = Common &
  Readonly<{ kind: "several"; field: Name; options: readonly (readonly [value: Value, text: string])[] }>;

type SwitchField<Name> = Common & Readonly<{ kind: "switch"; field: Name }>;

/**
 * A time in epoch seconds; empty, undefined and null are not valid. With `none`, a switch of that text leaves it out: the field
 * then has that value.
 */
type TimeField<Name> = Common &
  Readonly<{ kind: "time"; field: Name; none?: Readonly<{ value: number; text: string }>; picks?: ReactNode }>;

/** Names, of those suggested or, unless `isStrict`, others. */
type NamesField<Name> = Common &
  Readonly<{
    kind: "names";
    field: Name;
    options?: readonly string[];
    isStrict?: boolean | "patterns";
    placeholder: string;
  }>;

type JsonObjectField<Name> = Common & Readonly<{ kind: "json"; field: Name; example?: string }>;

/** One field of a form: what it holds and how it is edited. */
export type FormField<Form> =
  | TextField<Named<Form, string>>
  | QuotaField<Named<Form, string>>
  | { [Name in Named<Form, string | number>]: SelectField<Name, Form[Name]> }[Named<Form, string | number>]
  | SeveralField<Named<Form, readonly string[]>, string>
  | SwitchField<Named<Form, boolean>>
  | TimeField<Named<Form, number | null | undefined>>
  | NamesField<Named<Form, readonly string[]>>
  | JsonObjectField<Named<Form, string>>;

/** A field of any form. */
export type AnyField =
  | TextField<string>
  | QuotaField<string>
  | SelectField<string, string | number>
  | SeveralField<string, string>
  | SwitchField<string>
  | TimeField<string>
  | NamesField<string>
  | JsonObjectField<string>;

/** A field, some side by side, or what the form draws itself; false: nothing. */
type Entry<Field> = Field | readonly (Field | false)[] | ReactElement | false | null | undefined;
export type FormEntry<Form> = Entry<FormField<Form>>;
export type AnyEntry = Entry<AnyField>;

/** Fields under a heading. */
export type FormSection<Form> = Readonly<{
  title?: string;
  hint?: ReactNode;
  /** What is wrong with all of it. */
  error?: string | false | undefined;
  fields: readonly FormEntry<Form>[];
}>;

/** The options of a field for some values. */
export const optionsOf = <const Value>(values: readonly Value[], textOf: (value: Value) => string) =>
  values.map((value) => [value, textOf(value)] as const);
