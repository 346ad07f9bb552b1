import { describe, expect, it } from 'vitest'
import { startChain } from '../../harness.ts'
import { ask, askAll } from '../scene.ts'

describe('wallet_getCapabilities', () => {
  it('has atomic batches, for its own chain and its own accounts', async () => {
    const chain = await startChain({ chainId: 0xabc })
    const alice = chain.accounts[0]!.address
    const stranger = `0x${'99'.repeat(20)}`
    const answers = await askAll(chain, 'wallet_getCapabilities', {
      'of an account': [alice],
      'of none': [],
      'of none, as clients say it': [undefined],
      'of an account on its chain': [alice, ['0x1', '0xabc']],
      'of an account on its chain, with a leading zero': [alice, ['0x0abc']],
      'of an account on another chain': [alice, ['0x1']],
      'of a stranger': [stranger],
      'of no address': ['alice'],
      'on no chain': [alice, ['x']],
    })
    const supported = { '0xabc': { atomic: { status: 'supported' } } }
    expect(answers).toStrictEqual({
      'of an account': { both: supported },
      'of none': { both: supported },
      'of none, as clients say it': { both: supported },
      'of an account on its chain': { both: supported },
      'of an account on its chain, with a leading zero': { both: supported },
      'of an account on another chain': { both: {} },
      'of a stranger': { both: `error 4100 unknown account ${stranger}` },
      'of no address': { both: 'error -32602 invalid argument 0: expected a 20-byte address' },
      'on no chain': { both: 'error -32602 invalid argument 1[0]: expected a hex string of up to 32 bytes' },
    })
    await chain.preconf.request({ method: 'wallet_revokePermissions', params: [{ eth_accounts: {} }] })
    expect(await ask(chain.preconf, 'wallet_getCapabilities', [alice])).toBe(
      `error 4100 unknown account ${alice}`,
    )
    await chain.standard.request({ method: 'anvil_impersonateAccount', params: [stranger as `0x${string}`] })
    expect(await ask(chain.standard, 'wallet_getCapabilities', [stranger])).toEqual(supported)
  })
})
