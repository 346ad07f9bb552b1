/** Ordinary tests: coverage counts the instructions that their chains execute. */
import { chainTransport, preseal } from 'preseal/viem'
import { createChainTest } from 'preseal/vitest'
import { createWalletClient, parseEther, publicActions } from 'viem'
import { expect } from 'vitest'
import { abi, bytecode } from './artifacts/contracts/Vault.sol/Vault.json'

const test = createChainTest({
  chainOptions: { mining: 'auto' },
  async deploy({ chain }) {
    const account = chain.accounts[0].address
    const client = createWalletClient({ account, chain: preseal, transport: chainTransport(chain) }).extend(
      publicActions,
    )
    const hash = await client.deployContract({ abi, bytecode })
    const { contractAddress } = await client.waitForTransactionReceipt({ hash })
    return { client, vault: { abi, address: contractAddress } }
  },
})

test('takes what is not too much', async ({ deployed: { client, vault } }) => {
  await client.sendTransaction({ to: vault.address, value: parseEther('2') })
  const deposit = client.writeContract({ ...vault, functionName: 'deposit', value: parseEther('11') })
  await expect(deposit).rejects.toThrow('TooMuch')
})

test('has no fee for small amounts', async ({ deployed: { client, vault } }) => {
  expect(await client.readContract({ ...vault, functionName: 'fee', args: [5n] })).toBe(0n)
})
