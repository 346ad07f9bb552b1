interface Host {
  readonly process?: { getBuiltinModule?(name: string): unknown }
}

/**
 * Loads a module of Node by its name without prefix, such as `http`. Not an import, which bundlers for pages would
 * resolve.
 *
 * @returns undefined in pages, and in Node before 20.16.
 */
export function moduleOfNode<Module>(name: string): Module | undefined {
  return (globalThis as unknown as Host).process?.getBuiltinModule?.(`node:${name}`) as Module | undefined
}
