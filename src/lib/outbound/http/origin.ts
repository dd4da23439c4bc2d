/** Where a connection goes. Made by `originOf`. */
export type Origin = Readonly<{
  /** Says all of the rest. */
  name: string;
  /** Name or address that is connected to. */
  hostname: string;
  port: number;
  /** Name that the certificate must bear; null: no TLS. */
  tlsName: string | null;
}>;

/** Where a connection goes that is made to this name or address and port, and held to `tlsName`. */
export const originOf = (hostname: string, port: number, tlsName: string | null): Origin => ({
  name: `${hostname} ${port} ${tlsName ?? ""}`,
  hostname,
  port,
  tlsName,
});
