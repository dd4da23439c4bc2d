/** Writes a certificate for 127.0.0.1 and localhost that vouches for itself. Throws when openssl is not installed. */
export async function makeCertificate(certificate: string, key: string): Promise<void> {
  const made = Bun.spawn(
    [
      ...["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
      ...["-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=127.0.0.1"],
      ...["-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"],
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  if ((await made.exited) !== 0) throw new Error(`no certificate: ${await new Response(made.stderr).text()}`);
}
