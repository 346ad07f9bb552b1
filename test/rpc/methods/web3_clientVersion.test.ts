import { describe, expect, it } from 'vitest'
import { VERSION } from '../../../src/base/version.ts'
import { startChain } from '../../harness.ts'
import { ask, askBoth, startScene } from '../scene.ts'

describe('web3_clientVersion', () => {
  it('is the library and its version by default', async () => {
    const { chain } = await startScene()
    expect(await askBoth(chain, 'web3_clientVersion')).toEqual({ both: `preseal/v${VERSION}` })
  })

  it('is the option clientVersion, which hardhat_metadata returns too', async () => {
    const clientVersion = 'HardhatNetwork/2.22.0/@nomicfoundation/edr/0.12.0'
    const { standard } = await startChain({ clientVersion })
    expect(await ask(standard, 'web3_clientVersion')).toBe(clientVersion)
    expect(await ask(standard, 'hardhat_metadata')).toMatchObject({ clientVersion })
  })
})
