/** A chain in a folder. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folder = await mkdtemp(join(tmpdir(), 'preseal-'))

// #region folder
import { ClassicLevel } from 'classic-level'
import { createChain } from 'preseal'

const database = new ClassicLevel<Uint8Array, Uint8Array>(folder)
const chain = await createChain({ database, durability: 'disk' })
await chain.mine(2)
await chain.close()
// The chain opens its database, but leaves it open.
await database.close()
// #endregion folder

const again = new ClassicLevel<Uint8Array, Uint8Array>(folder)
const resumed = await createChain({ database: again, mining: 'manual' })
console.log(await resumed.standard.request({ method: 'eth_blockNumber' })) // => 0x2
await resumed.close()
await again.close()
await rm(folder, { recursive: true })
