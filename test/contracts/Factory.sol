// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Has storage, and selfdestructs on request.
contract Child {
    uint256 public stored;

    constructor(uint256 initial) payable {
        stored = initial;
    }

    receive() external payable {}

    function set(uint256 word) external {
        stored = word;
    }

    function destroy(address payable beneficiary) external {
        selfdestruct(beneficiary);
    }
}

/// Creates and destroys children, in one transaction or over several.
contract Factory {
    /// `child` is zero if the creation failed, for instance because the address is in use.
    event Created(address indexed child);
    event Destroyed(address indexed child);

    /// CREATE.
    function create(uint256 initial) external payable returns (address child) {
        child = address(new Child{value: msg.value}(initial));
        emit Created(child);
    }

    /// CREATE2; does not revert if the creation fails. Works again at an address that an earlier transaction freed.
    function create2(bytes32 salt, uint256 initial) public payable returns (address child) {
        bytes memory initCode = _initCode(initial);
        assembly ("memory-safe") {
            child := create2(callvalue(), add(initCode, 32), mload(initCode), salt)
        }
        emit Created(child);
    }

    /// The address of a child of `create2`.
    function addressOf(bytes32 salt, uint256 initial) external view returns (address) {
        bytes32 digest = keccak256(abi.encodePacked(bytes1(0xff), address(this), salt, keccak256(_initCode(initial))));
        return address(uint160(uint256(digest)));
    }

    function destroy(address payable child, address payable beneficiary) public {
        Child(child).destroy(beneficiary);
        emit Destroyed(child);
    }

    /// Creates a child and destroys it in the same transaction, which frees its address on every fork (EIP-6780).
    function createAndDestroy(bytes32 salt, uint256 initial, address payable beneficiary) external payable {
        destroy(payable(create2(salt, initial)), beneficiary);
    }

    /// Destroys a child and tries to create it again in the same transaction: its address is in use until the end.
    function destroyAndCreate(bytes32 salt, uint256 initial, address payable child, address payable beneficiary)
        external
        payable
        returns (address)
    {
        destroy(child, beneficiary);
        return create2(salt, initial);
    }

    function _initCode(uint256 initial) private pure returns (bytes memory) {
        return abi.encodePacked(type(Child).creationCode, abi.encode(initial));
    }
}
