const host = globalThis as { readonly process?: { getBuiltinModule?(name: string): unknown } }

/**
 * Loads a module of Node, such as `http`; undefined in pages, and in Node before 20.16. Not an import, which bundlers
 * for pages would resolve.
 */
export function moduleOfNode<Module>(name: string): Module | undefined {
  return host.process?.getBuiltinModule?.(`node:${name}`) as Module | undefined
}
