import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import type { ReactNode, RefObject } from "react";
import { useTranslation } from "react-i18next";
import { SideDrawer } from "./SideDrawer.tsx";

type Props = Readonly<{
  title: ReactNode;
  subtitle?: ReactNode;
  /** What `useCheckedForm` returned. */
  state: Readonly<{
    body: RefObject<HTMLDivElement | null>;
    isDirty: boolean;
    isSaving: boolean;
    submit: () => unknown;
  }>;
  /** The verb on the button that submits. */
  action: string;
  /** It adds something, which may be submitted as it is offered; an edit needs a change first. */
  isNew: boolean;
  /** Whether there are unsaved edits, where the form's values can differ without a change that counts. */
  isDirty?: boolean;
  /** Enter in a field of one line submits it. */
  isShort?: boolean;
  /** The reader may not change it. */
  isReadOnly?: boolean;
  /** Whether it can be submitted; wrong fields show that themselves. */
  isComplete?: boolean;
  /** Stands at the left of the buttons. */
  note?: ReactNode;
  /** Buttons before "Cancel". */
  buttons?: ReactNode;
  onClose: () => void;
  children: ReactNode;
}>;

/** A form in a drawer: its fields, "Cancel" and the button that submits. Render it only while it is open. */
export const FormDrawer = ({
  title,
  subtitle,
  state,
  action,
  isNew,
  isShort = false,
  isReadOnly = false,
  isComplete = true,
  note,
  buttons,
  onClose,
  children,
  ...rest
}: Props) => {
  const { t } = useTranslation();
  const { isDirty = state.isDirty } = rest;
  return (
    <SideDrawer
      title={title}
      subtitle={subtitle}
      isDirty={isDirty && !state.isSaving}
      isShort={isShort}
      onClose={onClose}
      footer={(close) => (
        <>
          {note}
          <Box sx={{ flex: 1 }} />
          {buttons}
          <Button onClick={close}>{t(isReadOnly ? "components.close" : "components.cancel")}</Button>
          {!isReadOnly && (
            <Button
              variant="contained"
              color="primary"
              loading={state.isSaving}
              disabled={(!isNew && !isDirty) || !isComplete}
              onClick={state.submit}
            >
              {action}
            </Button>
          )}
        </>
      )}
    >
      <Box ref={state.body}>{children}</Box>
    </SideDrawer>
  );
};
