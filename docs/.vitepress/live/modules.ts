/** The modules that live code can import. Each is a chunk of its own, which is loaded with the first code that imports it. */
const MODULES: Readonly<Record<string, () => Promise<object>>> = {
  preseal: () => import('preseal'),
  'preseal/errors': () => import('preseal/errors'),
  'preseal/ethers': () => import('preseal/ethers'),
  'preseal/explain': () => import('preseal/explain'),
  'preseal/viem': () => import('preseal/viem'),
  viem: () => import('viem'),
  'viem/accounts': () => import('viem/accounts'),
  'viem/actions': () => import('viem/actions'),
  'viem/chains': () => import('viem/chains'),
  'viem/utils': () => import('viem/utils'),
  ethers: () => import('ethers'),
  'contracts/token.ts': () => import('../../../examples/contracts/token.ts'),
}

/** @throws Error if the page does not have the module. */
export function loadModule(name: string): Promise<object> {
  // Examples and snippets have different paths to the contract.
  const load = MODULES[name.replace(/^[./]*(examples\/)?(?=contracts\/)/, '')]
  if (load === undefined) {
    throw new Error(`'${name}' cannot be imported here; there are ${Object.keys(MODULES).join(', ')}`)
  }
  return load()
}
