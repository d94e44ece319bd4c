// Builds the messages of proto/ with Google's protobuf library, as the reference for our own
// encoding.
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <memory>
#include <string>
#include <string_view>

#include "support/random.h"

namespace sluice::testing {

using google::protobuf::Message;

// Returns the pool of the files in DescriptorSet(). It lives until the program ends.
const google::protobuf::DescriptorPool& ProtobufPool();

// Creates an empty message of the type with this full name.
std::unique_ptr<Message> NewMessage(const std::string& type);

// Parses a message from protobuf's text format.
std::unique_ptr<Message> MessageOf(const std::string& type, const std::string& text);
// Returns the encoding of a message in text format.
std::string BytesOf(const std::string& type, const std::string& text);

// Returns the decoded bytes in text format, on one line; "malformed" if they are not a message of
// this type or have unknown fields.
std::string TextOf(const std::string& type, std::string_view bytes);

// Creates a message with a random subset of its fields, down to `depth`. Texts are UTF-8 and
// occasionally empty, numbers have any size, and enums any of their values.
std::unique_ptr<Message> RandomMessage(const std::string& type, int depth, Random& random);

// Adds unknown fields of every type to the message and to all messages inside it.
void AddUnknownFields(Message& message);

}  // namespace sluice::testing
