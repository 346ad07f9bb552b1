/** The contracts of the option `predeploys` in a program, compared with those of the sources. */
import { PREDEPLOYS } from '../../src/core/options.ts'
import { createChain, type GethGenesis } from '../../src/index.ts'

/** Statements of a program that has `createChain`: `alloc` is what a chain with all of them begins with. */
export const READ_ALLOC = `
const chain = await createChain({ predeploys: ${JSON.stringify(PREDEPLOYS)} })
const { alloc } = (await chain.export()).genesis
await chain.close()`

/** The same of the sources, whose codes the tests compare with those of mainnet. */
export async function readAlloc(): Promise<GethGenesis['alloc']> {
  const chain = await createChain({ predeploys: PREDEPLOYS })
  const { genesis } = await chain.export()
  await chain.close()
  return genesis.alloc
}
