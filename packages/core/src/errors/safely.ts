/** Looks at something that was thrown, which may be anything, a Proxy whose every trap throws included. */
export function safely<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch {
    return otherwise;
  }
}
