/** Disposes what can be, last made first; one that fails does not keep the others open. */
export async function disposeAll(instances: readonly unknown[]): Promise<void> {
  const errors: unknown[] = [];
  for (const instance of [...instances].reverse()) {
    if (typeof instance !== "object" || instance === null) continue;
    const { [Symbol.asyncDispose]: disposeAsync, [Symbol.dispose]: dispose } = instance as Partial<AsyncDisposable & Disposable>;
    try {
      if (disposeAsync !== undefined) await disposeAsync.call(instance);
      else dispose?.call(instance);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, "Several toolkits could not be disposed.");
}
