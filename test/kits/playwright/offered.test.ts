import { describe, expect, it } from 'vitest'
import { isOfNodes, isOfNodesOrWallets, offer } from '../../../src/kits/playwright/offered.ts'
import { METHODS } from '../../../src/rpc/table.ts'
import { startChain } from '../../harness.ts'
import { isDevMethod } from '../../rpc/devMethods.ts'

const FORKING = [{ forking: { jsonRpcUrl: 'http://127.0.0.1:1' } }]

/** How a request of a page ends: its result, or the error's code and message. */
async function answerOf(cheats: boolean, method: string, params?: unknown): Promise<unknown> {
  const { preconf } = await startChain()
  const requester = offer(preconf, isOfNodesOrWallets, { cheats })
  return requester
    .request(params === undefined ? { method } : { method, params })
    .catch(({ name, code, message }) => `${name} ${code} ${message}`)
}

describe('what pages reach', () => {
  it('are all methods of the chain except these', () => {
    const rest = Object.keys(METHODS).filter((name) => !isOfNodesOrWallets(name))
    expect(rest.filter((name) => !isDevMethod(name))).toEqual([
      'eth_sendUnsignedTransaction',
      'testing_buildBlockV1',
    ])
    expect(rest.filter(isDevMethod)).toEqual(Object.keys(METHODS).filter(isDevMethod))
  })

  it('are at the URL of a node none that act for an account', () => {
    const ofWallets = Object.keys(METHODS).filter((name) => isOfNodesOrWallets(name) && !isOfNodes(name))
    expect(ofWallets).toMatchInlineSnapshot(`
      [
        "eth_accounts",
        "eth_requestAccounts",
        "eth_sendTransaction",
        "eth_sendTransactionSync",
        "eth_sign",
        "eth_signTransaction",
        "eth_signTypedData_v4",
        "personal_sign",
        "wallet_addEthereumChain",
        "wallet_getCallsStatus",
        "wallet_getCapabilities",
        "wallet_getPermissions",
        "wallet_requestPermissions",
        "wallet_revokePermissions",
        "wallet_sendCalls",
        "wallet_showCallsStatus",
        "wallet_switchEthereumChain",
        "wallet_watchAsset",
      ]
    `)
  })

  it('are not the cheats, unless the test says so', async () => {
    const refused = (method: string) =>
      `MethodNotOfferedError 4200 pages cannot use ${method}: expected a call in the test, or walletOptions: { cheats: true }`
    for (const method of ['anvil_setBalance', 'hardhat_reset', 'eth_sendUnsignedTransaction', 'miner_stop'])
      expect(await answerOf(false, method, [])).toBe(refused(method))
    expect(await answerOf(false, 'eth_chainId')).toBe('0x7a69')
    expect(await answerOf(false, 'eth_unknown')).toBe(
      'MethodNotFoundError -32601 the method eth_unknown does not exist/is not available',
    )
    expect(await answerOf(false, 'toString')).toBe(
      'MethodNotFoundError -32601 the method toString does not exist/is not available',
    )
    expect(await answerOf(true, 'evm_snapshot')).toBe('0x1')
  })

  it.each(['anvil', 'evm', 'ganache', 'hardhat'])('is never the URL of a node, by %s_', async (prefix) => {
    const refused =
      'PageForkUrlError -32602 pages cannot name the URL of a node to fork: expected a call in the test'
    for (const cheats of [false, true]) {
      expect(await answerOf(cheats, `${prefix}_reset`, FORKING)).toBe(refused)
      expect(await answerOf(cheats, `${prefix}_setRpcUrl`, ['http://127.0.0.1:1'])).toBe(refused)
    }
    expect(await answerOf(true, `${prefix}_reset`)).not.toBe(refused)
  })
})
